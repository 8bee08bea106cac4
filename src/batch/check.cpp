// SPDX-License-Identifier: Apache-2.0
#include "batch/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

bool is_op(Op op) { return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans; }

bool is_zero(const BatchFactor& factor, Type type, index_t i) {
    if (factor.each == nullptr) return factor.all == Scalar{};
    return with_type(type, [&]<class T>() {
        return static_cast<const scalar_t<T>*>(factor.each)[i] == scalar_t<T>(0);
    });
}

bool is_null(const BatchMatrix& x, index_t i) {
    return x.array != nullptr ? x.array[i] == nullptr : x.data == nullptr;
}

/// The first matrix that is needed and is not there.
BatchArgument missing_matrix(const Batch& x, index_t i) {
    if (x.m[i] == 0 || x.n[i] == 0) return BatchArgument::none;
    const bool multiplies = x.k[i] > 0 && !is_zero(x.alpha, x.type, i);
    if (multiplies && is_null(x.a, i)) return BatchArgument::a;
    if (multiplies && is_null(x.b, i)) return BatchArgument::b;
    return is_null(x.c, i) ? BatchArgument::c : BatchArgument::none;
}

BatchArgument as_called(Layout layout, BatchArgument argument) {
    return layout == Layout::RowMajor ? transposed(argument) : argument;
}

void refuse_shared(Layout layout, BatchArgument argument) {
    throw Error(Code::bad_argument,
                fmt::format("gemm_batch: {} is bad", name_of(as_called(layout, argument))),
                "what gemm needs");
}

}  // namespace

const char* name_of(BatchArgument argument) {
    static constexpr const char* names[] = {"none", "",     "group_sizes", "op_a", "op_b", "m",
                                            "n",    "k",    "alpha",       "a",    "lda",  "b",
                                            "ldb",  "beta", "c",           "ldc"};
    return names[static_cast<int>(argument)];
}

ProductShape shape_of(const Batch& x, index_t i) {
    return {x.op_a[i], x.op_b[i], x.m[i], x.n[i], x.k[i], x.a.ld[i], x.b.ld[i], x.c.ld[i]};
}

BatchArgument bad_argument(const ProductShape& p) {
    if (!is_op(p.op_a)) return BatchArgument::op_a;
    if (!is_op(p.op_b)) return BatchArgument::op_b;
    if (p.m < 0) return BatchArgument::m;
    if (p.n < 0) return BatchArgument::n;
    if (p.k < 0) return BatchArgument::k;
    const auto least = [](index_t rows) { return std::max<index_t>(1, rows); };
    if (p.lda < least(p.op_a == Op::NoTrans ? p.m : p.k)) return BatchArgument::lda;
    if (p.ldb < least(p.op_b == Op::NoTrans ? p.k : p.n)) return BatchArgument::ldb;
    return p.ldc < least(p.m) ? BatchArgument::ldc : BatchArgument::none;
}

void check_shared(Layout layout, const Batch& x) {
    require(x.count >= 0, Code::bad_argument, "count >= 0",
            fmt::format("gemm_batch: count is {}", x.count));
    // What is in an array is not looked at: good values stand in its place.
    ProductShape p{x.op_a.all, x.op_b.all, x.m.all,    x.n.all,
                   x.k.all,    x.a.ld.all, x.b.ld.all, x.c.ld.all};
    const bool ops = x.op_a.each == nullptr && x.op_b.each == nullptr;
    const bool sizes = x.m.each == nullptr && x.n.each == nullptr && x.k.each == nullptr;
    constexpr index_t any = std::numeric_limits<index_t>::max();
    if (x.op_a.each != nullptr) p.op_a = Op::NoTrans;
    if (x.op_b.each != nullptr) p.op_b = Op::NoTrans;
    if (!ops || !sizes || x.a.ld.each != nullptr) p.lda = any;
    if (!ops || !sizes || x.b.ld.each != nullptr) p.ldb = any;
    if (!ops || !sizes || x.c.ld.each != nullptr) p.ldc = any;
    if (const BatchArgument bad = bad_argument(p); bad != BatchArgument::none)
        refuse_shared(layout, bad);
    if (x.count == 0 || !ops || !sizes || p.m == 0 || p.n == 0) return;
    const auto is_missing = [](const BatchMatrix& m) {
        return m.array == nullptr && m.data == nullptr;
    };
    const bool multiplies = p.k > 0 && (x.alpha.each != nullptr || x.alpha.all != Scalar{});
    if (multiplies && is_missing(x.a)) refuse_shared(layout, BatchArgument::a);
    if (multiplies && is_missing(x.b)) refuse_shared(layout, BatchArgument::b);
    if (is_missing(x.c)) refuse_shared(layout, BatchArgument::c);
}

void check_products(Layout layout, const Batch& x) {
    for (index_t i = 0; i < x.count; ++i) {
        BatchArgument bad = bad_argument(shape_of(x, i));
        if (bad == BatchArgument::none) bad = missing_matrix(x, i);
        if (bad != BatchArgument::none) refuse_product(layout, i, bad);
    }
}

void refuse_product(Layout layout, index_t i, BatchArgument argument) {
    throw Error(
        Code::bad_argument,
        fmt::format("gemm_batch: product {}: {} is bad", i, name_of(as_called(layout, argument))),
        "what gemm needs");
}

Batch transposed(const Batch& x) {
    Batch t = x;
    std::swap(t.op_a, t.op_b);
    std::swap(t.m, t.n);
    std::swap(t.a, t.b);
    return t;
}

BatchArgument transposed(BatchArgument argument) {
    using A = BatchArgument;
    static constexpr std::pair<A, A> pairs[] = {
        {A::op_a, A::op_b}, {A::m, A::n}, {A::a, A::b}, {A::lda, A::ldb}};
    for (const auto& [one, other] : pairs)
        if (argument == one || argument == other) return argument == one ? other : one;
    return argument;
}

}  // namespace gemmill
