// SPDX-License-Identifier: Apache-2.0
#include "api/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/routine.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// What is asked of an argument.
enum class Rule : std::uint8_t { side, uplo, op_a, op_b, diag, m, n, k, lda, ldb, ldc };

/// One argument that is checked.
struct Row {
    int position;
    Rule rule;
    const char* name;
};

// In netlib's order.
constexpr Row gemm_rows[] = {{1, Rule::op_a, "op_a"}, {2, Rule::op_b, "op_b"},
                             {3, Rule::m, "m"},       {4, Rule::n, "n"},
                             {5, Rule::k, "k"},       {8, Rule::lda, "lda"},
                             {10, Rule::ldb, "ldb"},  {13, Rule::ldc, "ldc"}};
constexpr Row gemmt_rows[] = {{1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op_a"},
                              {3, Rule::op_b, "op_b"}, {4, Rule::n, "n"},
                              {5, Rule::k, "k"},       {8, Rule::lda, "lda"},
                              {10, Rule::ldb, "ldb"},  {13, Rule::ldc, "ldc"}};
constexpr Row symm_rows[] = {
    {1, Rule::side, "side"}, {2, Rule::uplo, "uplo"}, {3, Rule::m, "m"},     {4, Rule::n, "n"},
    {7, Rule::lda, "lda"},   {9, Rule::ldb, "ldb"},   {12, Rule::ldc, "ldc"}};
constexpr Row syrk_rows[] = {{1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op"},
                             {3, Rule::n, "n"},       {4, Rule::k, "k"},
                             {7, Rule::lda, "lda"},   {10, Rule::ldc, "ldc"}};
constexpr Row syr2k_rows[] = {{1, Rule::uplo, "uplo"}, {2, Rule::op_a, "op"}, {3, Rule::n, "n"},
                              {4, Rule::k, "k"},       {7, Rule::lda, "lda"}, {9, Rule::ldb, "ldb"},
                              {12, Rule::ldc, "ldc"}};
constexpr Row trmm_rows[] = {{1, Rule::side, "side"}, {2, Rule::uplo, "uplo"},
                             {3, Rule::op_a, "op"},   {4, Rule::diag, "diag"},
                             {5, Rule::m, "m"},       {6, Rule::n, "n"},
                             {9, Rule::lda, "lda"},   {11, Rule::ldc, "ldb"}};

constexpr std::span<const Row> rows_of(Routine routine) {
    switch (routine) {
        case Routine::gemm:
            return gemm_rows;
        case Routine::gemmt:
            return gemmt_rows;
        case Routine::symm:
        case Routine::hemm:
            return symm_rows;
        case Routine::syrk:
        case Routine::herk:
            return syrk_rows;
        case Routine::syr2k:
        case Routine::her2k:
            return syr2k_rows;
        default:
            return trmm_rows;
    }
}

constexpr bool is_hermitian_update(Routine r) { return r == Routine::herk || r == Routine::her2k; }
constexpr bool is_update(Routine r) {
    return r == Routine::syrk || r == Routine::syr2k || is_hermitian_update(r);
}
constexpr bool is_product(Routine r) { return r == Routine::gemm || r == Routine::gemmt; }

/// The one op that an update of a complex type does not have.
constexpr Op missing_op(Routine r) { return is_hermitian_update(r) ? Op::Trans : Op::ConjTrans; }

template <Routine r>
bool is_op(const Level3Args& x, Op op) {
    if constexpr (is_update(r))
        if (op == missing_op(r) && is_complex(x.type)) return false;
    return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans;
}

/// The least leading dimension that is allowed.
template <Routine r>
index_t least(const Level3Args& x, Rule rule) {
    index_t rows = x.m;
    if (is_update(r)) {
        if (rule != Rule::ldc) rows = x.op_a == Op::NoTrans ? x.n : x.k;
    } else if (rule == Rule::lda) {
        if (is_product(r))
            rows = x.op_a == Op::NoTrans ? x.m : x.k;
        else
            rows = x.side == Side::Left ? x.m : x.n;
    } else if (rule == Rule::ldb && is_product(r)) {
        rows = x.op_b == Op::NoTrans ? x.k : x.n;
    }
    return std::max<index_t>(1, rows);
}

template <Routine r>
constexpr bool holds(const Level3Args& x, Rule rule) {
    switch (rule) {
        case Rule::side:
            return x.side == Side::Left || x.side == Side::Right;
        case Rule::uplo:
            return x.uplo == Uplo::Upper || x.uplo == Uplo::Lower;
        case Rule::op_a:
            return is_op<r>(x, x.op_a);
        case Rule::op_b:
            return is_op<r>(x, x.op_b);
        case Rule::diag:
            return x.diag == Diag::NonUnit || x.diag == Diag::Unit;
        case Rule::m:
            return x.m >= 0;
        case Rule::n:
            return x.n >= 0;
        case Rule::k:
            return x.k >= 0;
        case Rule::lda:
            return x.lda >= least<r>(x, rule);
        case Rule::ldb:
            return x.ldb >= least<r>(x, rule);
        default:
            return x.ldc >= least<r>(x, rule);
    }
}

/// Calls f.template operator()<r>() with the routine as a constant: these checks stand before every
/// small call, and take nanoseconds when the compiler knows which.
template <class F>
auto with_routine(Routine routine, F&& f) {
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

template <Routine r, std::size_t... row>
int fault_of(const Level3Args& x, std::index_sequence<row...>) {
    int fault = 0;
    (void)(... ||
           (!holds<r>(x, rows_of(r)[row].rule) ? (fault = rows_of(r)[row].position) != 0 : false));
    return fault;
}

/// What an argument is and what it must be.
struct Words {
    std::string is, needs;
};

Words words_of(const Level3Args& x, Rule rule, const char* name) {
    const index_t needed = with_routine(x.routine, [&]<Routine r>() { return least<r>(x, rule); });
    const auto size = [&](index_t value) {
        return Words{std::to_string(value), fmt::format("{} >= 0", name)};
    };
    const auto ld = [&](index_t value) {
        return Words{std::to_string(value), fmt::format("{} >= {}", name, needed)};
    };
    const auto flag = [&](const char* choices) {
        return Words{"no flag", fmt::format("{}: {}", name, choices)};
    };
    switch (rule) {
        case Rule::side:
            return flag("Left or Right");
        case Rule::uplo:
            return flag("Upper or Lower");
        case Rule::diag:
            return flag("NonUnit or Unit");
        case Rule::m:
            return size(x.m);
        case Rule::n:
            return size(x.n);
        case Rule::k:
            return size(x.k);
        case Rule::lda:
            return ld(x.lda);
        case Rule::ldb:
            return ld(x.ldb);
        case Rule::ldc:
            return ld(x.ldc);
        default:
            break;
    }
    if (!is_update(x.routine) || !is_complex(x.type)) return flag("NoTrans, Trans or ConjTrans");
    return {"not one that it has",
            fmt::format("{}: NoTrans or {}", name,
                        is_hermitian_update(x.routine) ? "ConjTrans" : "Trans")};
}

/// Texts are made only when they are needed: the checks stand before every small call.
[[noreturn]] void refuse(Routine routine, const char* name, const Words& words) {
    throw Error(Code::bad_argument, fmt::format("{}: {} is {}", name_of(routine), name, words.is),
                words.needs);
}

Uplo other(Uplo uplo) {
    return uplo == Uplo::Upper ? Uplo::Lower : uplo == Uplo::Lower ? Uplo::Upper : uplo;
}
Side other(Side side) {
    return side == Side::Left ? Side::Right : side == Side::Right ? Side::Left : side;
}
/// Of an update: what is not transposed becomes so, and what is no flag stays so.
Op other(const Level3Args& x) {
    const Op turned = is_hermitian_update(x.routine) ? Op::ConjTrans : Op::Trans;
    return x.op_a == turned ? Op::NoTrans : x.op_a == Op::NoTrans ? turned : x.op_a;
}

}  // namespace

int first_fault(const Level3Args& call) noexcept {
    return with_routine(call.routine, [&]<Routine r>() {
        return fault_of<r>(call, std::make_index_sequence<rows_of(r).size()>());
    });
}

void transpose(Level3Args& x) noexcept {
    x.uplo = other(x.uplo);
    if (is_update(x.routine)) {
        x.op_a = other(x);
        if (x.routine == Routine::her2k) x.alpha.im = -x.alpha.im;
        return;
    }
    std::swap(x.m, x.n);
    if (is_product(x.routine)) {
        std::swap(x.op_a, x.op_b);
        std::swap(x.a, x.b);
        std::swap(x.lda, x.ldb);
    } else {
        x.side = other(x.side);
    }
}

int transposed_position(Routine routine, int position) noexcept {
    using Pair = std::pair<int, int>;
    constexpr Pair gemm[] = {{1, 2}, {3, 4}, {8, 10}}, gemmt[] = {{2, 3}, {8, 10}};
    constexpr Pair symm[] = {{3, 4}}, trmm[] = {{5, 6}};
    std::span<const Pair> swaps;
    if (routine == Routine::gemm) swaps = gemm;
    if (routine == Routine::gemmt) swaps = gemmt;
    if (routine == Routine::symm || routine == Routine::hemm) swaps = symm;
    if (is_in_place(routine)) swaps = trmm;
    for (const auto& [one, two] : swaps) {
        if (position == one) return two;
        if (position == two) return one;
    }
    return position;
}

void refuse(const Level3Args& call, Layout layout, int position) {
    const auto rows = rows_of(call.routine);
    const auto at = [&](int p) { return std::ranges::find(rows, p, &Row::position); };
    const char* const name = layout == Layout::ColMajor
                                 ? at(position)->name
                                 : at(transposed_position(call.routine, position))->name;
    refuse(call.routine, name, words_of(call, at(position)->rule, name));
}

void check_pointers(const Level3Args& call, Layout layout) {
    if (call.m == 0 || call.n == 0) return;
    const auto check = [&](const void* pointer, const char* name) {
        if (pointer == nullptr)
            refuse(call.routine, name, {"null", fmt::format("{} != nullptr", name)});
    };
    const bool swapped = layout == Layout::RowMajor && is_product(call.routine);
    if (multiplies(call)) {
        check(swapped ? call.b : call.a, "a");
        if (has_b(call.routine)) check(swapped ? call.a : call.b, "b");
    }
    check(call.c, is_in_place(call.routine) ? "b" : "c");
}

bool multiplies(const Level3Args& call) noexcept { return call.k > 0 && call.alpha != Scalar{}; }

bool is_nothing(const Level3Args& call) noexcept {
    if (call.m == 0 || call.n == 0) return true;
    return !is_in_place(call.routine) && !multiplies(call) && call.beta == Scalar{1, 0};
}

}  // namespace gemmill
