// SPDX-License-Identifier: Apache-2.0
// The routines of level 3: their names, and what some of them have in common.
#pragma once

#include <array>
#include <string_view>

#include "gemmill/types.hpp"

namespace gemmill {

inline constexpr std::array<const char*, 10> routine_names{
    "gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"};

constexpr const char* name_of(Routine routine) {
    return routine_names[static_cast<std::size_t>(routine)];
}

/// Of a name that is in the list.
constexpr Routine routine_named(std::string_view name) {
    std::size_t r = 0;
    while (routine_names[r] != name) ++r;
    return static_cast<Routine>(r);
}

/// C is n x n and only one triangle of it is computed.
constexpr bool writes_triangle(Routine r) {
    return r == Routine::gemmt || r == Routine::syrk || r == Routine::herk || r == Routine::syr2k ||
           r == Routine::her2k;
}
/// A is k x k and only one triangle of it is stored.
constexpr bool reads_triangle(Routine r) {
    return r == Routine::symm || r == Routine::hemm || r == Routine::trmm || r == Routine::trsm;
}
/// The other triangle of A follows from it.
constexpr bool mirrors(Routine r) { return r == Routine::symm || r == Routine::hemm; }
/// C is also an operand.
constexpr bool is_in_place(Routine r) { return r == Routine::trmm || r == Routine::trsm; }
/// Two products.
constexpr bool is_rank_2(Routine r) { return r == Routine::syr2k || r == Routine::her2k; }
constexpr bool is_hermitian(Routine r) {
    return r == Routine::hemm || r == Routine::herk || r == Routine::her2k;
}
constexpr bool has_b(Routine r) {
    return r != Routine::syrk && r != Routine::herk && !is_in_place(r);
}
/// Whether BLAS has op_a for the routine: a rank update transposes as its second factor does.
constexpr bool allows(Routine r, Type type, Op op) {
    if (!is_complex(type) || op == Op::NoTrans) return true;
    if (r == Routine::syrk || r == Routine::syr2k) return op == Op::Trans;
    if (r == Routine::herk || r == Routine::her2k) return op == Op::ConjTrans;
    return true;
}
/// op for the second of two factors that are the same matrix.
constexpr Op flipped(Op op, Routine r) {
    if (op != Op::NoTrans) return Op::NoTrans;
    return is_hermitian(r) ? Op::ConjTrans : Op::Trans;
}
/// Whether trmm and trsm take the parts of k from the first to the last: part l goes into what
/// lies at or behind it.
constexpr bool goes_forward(Side side, Uplo uplo, Op op_a) {
    const bool lower = (uplo == Uplo::Lower) == (op_a == Op::NoTrans);
    return lower == (side == Side::Left);
}

}  // namespace gemmill
