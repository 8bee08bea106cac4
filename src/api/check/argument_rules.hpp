// SPDX-License-Identifier: Apache-2.0
// What each routine of level 3 asks of its arguments. The routine is a constant wherever it can be:
// these checks stand before every small call, and take nanoseconds when the compiler knows which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/extent.hpp"
#include "base/routine.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// What is asked of an argument.
enum class Rule : std::uint8_t { side, uplo, op_a, op_b, diag, m, n, k, lda, ldb, ldc };

/// One argument that is checked: its place in the list of the Fortran routine, and its name.
struct ArgumentRow {
    int position;
    Rule rule;
    const char* name;
};

namespace rules {

// In netlib's order.
inline constexpr ArgumentRow gemm[] = {{1, Rule::op_a, "op_a"}, {2, Rule::op_b, "op_b"},
                                       {3, Rule::m, "m"},       {4, Rule::n, "n"},
                                       {5, Rule::k, "k"},       {8, Rule::lda, "lda"},
                                       {10, Rule::ldb, "ldb"},  {13, Rule::ldc, "ldc"}};
inline constexpr ArgumentRow gemmt[] = {{1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op_a"},
                                        {3, Rule::op_b, "op_b"}, {4, Rule::n, "n"},
                                        {5, Rule::k, "k"},       {8, Rule::lda, "lda"},
                                        {10, Rule::ldb, "ldb"},  {13, Rule::ldc, "ldc"}};
inline constexpr ArgumentRow symm[] = {
    {1, Rule::side, "side"}, {2, Rule::uplo, "uplo"}, {3, Rule::m, "m"},     {4, Rule::n, "n"},
    {7, Rule::lda, "lda"},   {9, Rule::ldb, "ldb"},   {12, Rule::ldc, "ldc"}};
inline constexpr ArgumentRow syrk[] = {{1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op"},
                                       {3, Rule::n, "n"},       {4, Rule::k, "k"},
                                       {7, Rule::lda, "lda"},   {10, Rule::ldc, "ldc"}};
inline constexpr ArgumentRow syr2k[] = {
    {1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op"}, {3, Rule::n, "n"},     {4, Rule::k, "k"},
    {7, Rule::lda, "lda"},   {9, Rule::ldb, "ldb"}, {12, Rule::ldc, "ldc"}};
inline constexpr ArgumentRow trmm[] = {{1, Rule::side, "side"}, {2, Rule::uplo, "uplo"},
                                       {3, Rule::op_a, "op"},   {4, Rule::diag, "diag"},
                                       {5, Rule::m, "m"},       {6, Rule::n, "n"},
                                       {9, Rule::lda, "lda"},   {11, Rule::ldc, "ldb"}};

}  // namespace rules

constexpr std::span<const ArgumentRow> rows_of(Routine routine) {
    switch (routine) {
        case Routine::gemm:
            return rules::gemm;
        case Routine::gemmt:
            return rules::gemmt;
        case Routine::symm:
        case Routine::hemm:
            return rules::symm;
        case Routine::syrk:
        case Routine::herk:
            return rules::syrk;
        case Routine::syr2k:
        case Routine::her2k:
            return rules::syr2k;
        default:
            return rules::trmm;
    }
}

constexpr bool is_hermitian_update(Routine r) { return r == Routine::herk || r == Routine::her2k; }
constexpr bool is_update(Routine r) {
    return r == Routine::syrk || r == Routine::syr2k || is_hermitian_update(r);
}
constexpr bool is_product(Routine r) { return r == Routine::gemm || r == Routine::gemmt; }
/// The matrix whose leading dimension is lda, ldb or ldc.
template <Routine r>
constexpr StoredSize stored_size(const Level3Args& x, Rule ld) {
    const auto as_is = [](Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? StoredSize{rows, cols} : StoredSize{cols, rows};
    };
    if (ld == Rule::ldc) return {x.m, x.n};
    if (is_update(r)) return as_is(x.op_a, x.n, x.k);
    if (is_product(r)) return ld == Rule::lda ? as_is(x.op_a, x.m, x.k) : as_is(x.op_b, x.k, x.n);
    if (ld == Rule::ldb) return {x.m, x.n};
    const index_t edge = x.side == Side::Left ? x.m : x.n;
    return {edge, edge};
}

/// The least leading dimension that is allowed.
constexpr index_t least_ld(const StoredSize& size) { return std::max<index_t>(1, size.rows); }

/// Calls f.template operator()<r>() with the routine as a constant; trsm is checked as trmm is,
/// and hemm as symm.
template <class F>
constexpr auto with_routine(Routine routine, F&& f) {
    switch (routine) {
        case Routine::gemm:
            return f.template operator()<Routine::gemm>();
        case Routine::gemmt:
            return f.template operator()<Routine::gemmt>();
        case Routine::symm:
        case Routine::hemm:
            return f.template operator()<Routine::symm>();
        case Routine::syrk:
            return f.template operator()<Routine::syrk>();
        case Routine::herk:
            return f.template operator()<Routine::herk>();
        case Routine::syr2k:
            return f.template operator()<Routine::syr2k>();
        case Routine::her2k:
            return f.template operator()<Routine::her2k>();
        default:
            return f.template operator()<Routine::trmm>();
    }
}

inline StoredSize stored_size(const Level3Args& x, Rule ld) {
    return with_routine(x.routine, [&]<Routine r>() { return stored_size<r>(x, ld); });
}

}  // namespace gemmill
