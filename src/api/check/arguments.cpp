// SPDX-License-Identifier: Apache-2.0
#include "api/check/arguments.hpp"

#include <utility>

#include "api/check/argument_rules.hpp"

namespace gemmill {
namespace {

/// The one op that an update of a complex type does not have.
constexpr Op missing_op(Routine r) { return is_hermitian_update(r) ? Op::Trans : Op::ConjTrans; }

template <Routine r>
bool is_op(const Level3Args& x, Op op) {
    if constexpr (is_update(r))
        if (op == missing_op(r) && is_complex(x.type)) return false;
    return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans;
}

/// Long enough, and of a matrix that memory can hold.
template <Routine r>
bool is_ld(const Level3Args& x, Rule rule, index_t ld) {
    const StoredSize size = stored_size<r>(x, rule);
    return ld >= least_ld(size) && has_extent(size, ld, bytes_of(x.type));
}

template <Routine r>
bool holds(const Level3Args& x, Rule rule) {
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
            return is_ld<r>(x, rule, x.lda);
        case Rule::ldb:
            return is_ld<r>(x, rule, x.ldb);
        default:
            return is_ld<r>(x, rule, x.ldc);
    }
}

template <Routine r, std::size_t... row>
int fault_of(const Level3Args& x, std::index_sequence<row...>) {
    int fault = 0;
    (void)(... ||
           (!holds<r>(x, rows_of(r)[row].rule) ? (fault = rows_of(r)[row].position) != 0 : false));
    return fault;
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

bool multiplies(const Level3Args& call) noexcept { return call.k > 0 && call.alpha != Scalar{}; }

bool is_nothing(const Level3Args& call) noexcept {
    if (call.m == 0 || call.n == 0) return true;
    return !is_in_place(call.routine) && !multiplies(call) && call.beta == Scalar{1, 0};
}

}  // namespace gemmill
