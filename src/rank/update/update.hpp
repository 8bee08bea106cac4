// SPDX-License-Identifier: Apache-2.0
// What every distributed routine of level 3 is made of, but trsm:
//     C = beta C + the sum of alpha op(A) op(B)
// where of a factor only a triangle may be taken, and of C only a triangle made.
#pragma once

#include <cstdint>
#include <vector>

#include "rank/message/exchange.hpp"

namespace gemmill {

/// Which elements of a matrix, as it is stored, are meant; of a factor all others count as zero.
enum class Fill : std::uint8_t { all, lower, strictly_lower, upper, strictly_upper };

struct DistFactor {
    const RankMatrix* matrix = nullptr;
    Op op = Op::NoTrans;
    Fill fill = Fill::all;
    bool unit = false;           ///< the diagonal counts as ones
    bool real_diagonal = false;  ///< imaginary parts of the diagonal count as zeros
};

struct DistTerm {
    DistFactor a, b;
    Scalar alpha;
};

struct DistUpdate {
    Type type = Type::d;
    index_t m = 0, n = 0, k = 0;
    RankMatrix c;
    Scalar beta;
    Fill fill = Fill::all;  ///< what is made of C: all, or lower or upper
    bool hermitian = false;
    bool c_is_factor = false;  ///< C must stay as it is until all products are made
    std::vector<DistTerm> terms;
};

/// A (operand 0) or B of a term.
inline const DistFactor& factor_of(const DistUpdate& update, int term, int operand) {
    const DistTerm& x = update.terms[static_cast<std::size_t>(term)];
    return operand == 0 ? x.a : x.b;
}

inline bool is_lower(Fill fill) { return fill == Fill::lower || fill == Fill::strictly_lower; }
/// Whether the elements of op(X) lie on and below its diagonal.
inline bool is_lower(const DistFactor& x) { return is_lower(x.fill) == (x.op == Op::NoTrans); }

}  // namespace gemmill
