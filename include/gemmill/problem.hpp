// SPDX-License-Identifier: Apache-2.0
// One BLAS call without pointers: what a plan is asked for.
#pragma once

#include <array>
#include <cstdint>

#include "gemmill/machine.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// What a plan may know of alpha and beta.
enum class Factor : std::uint8_t { zero, one, general };

/// Column-major; a row-major call is described as its transpose.
/// gemm:  C = alpha op_a(A) op_b(B) + beta C with op_a(A) m x k and op_b(B) k x n.
/// gemmt: the same, n x n (m == n), and only the triangle `uplo` of C.
/// symm, hemm:
///        C = alpha A B + beta C or alpha B A + beta C by `side`; of A, which is k x k, only the
///        triangle `uplo` is read.
/// syrk, herk: C = alpha op_a(A) op_a(A)' + beta C; C is n x n (m == n), triangle `uplo`.
/// syr2k, her2k: the same with op_a(A) op_a(B)' + op_a(B) op_a(A)'.
/// trmm:  C = alpha op_a(A) C or alpha C op_a(A) by `side`; A is k x k, triangle `uplo`, `diag`.
/// trsm:  the same with the inverse of op_a(A). Neither has a B.
struct Problem {
    Routine routine = Routine::gemm;
    Type type = Type::d;
    Side side = Side::Left;
    Uplo uplo = Uplo::Lower;
    Diag diag = Diag::NonUnit;
    Op op_a = Op::NoTrans;
    Op op_b = Op::NoTrans;
    index_t m = 0, n = 0, k = 0;
    Factor alpha = Factor::one;
    Factor beta = Factor::zero;
    std::array<MemoryId, 3> home{0, 0, 0};  ///< where A, B and C lie
    /// Their columns are multiples of so many elements apart; 0: as many as they have rows.
    std::array<index_t, 3> pitch{0, 0, 0};
    bool operator==(const Problem&) const = default;
};

}  // namespace gemmill
