// SPDX-License-Identifier: Apache-2.0
#include "batch/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

[[noreturn]] void refuse(const std::string& text, const std::string& condition) {
    throw Error(Code::bad_argument, "gemm_batch: " + text, condition);
}

[[noreturn]] void refuse_shared(Layout layout, BatchArgument argument) {
    refuse(fmt::format("{} is bad", name_of(as_called(layout, argument))), "what gemm needs");
}

/// As BLAS checks arguments.
BatchArgument bad_form(const ProductShape& p) {
    if (!is_op(p.op_a)) return BatchArgument::op_a;
    if (!is_op(p.op_b)) return BatchArgument::op_b;
    if (p.m < 0) return BatchArgument::m;
    if (p.n < 0) return BatchArgument::n;
    if (p.k < 0) return BatchArgument::k;
    const auto least = [&](BatchArgument matrix) {
        return std::max<index_t>(1, stored_size(p, matrix).rows);
    };
    if (p.lda < least(BatchArgument::a)) return BatchArgument::lda;
    if (p.ldb < least(BatchArgument::b)) return BatchArgument::ldb;
    return p.ldc < least(BatchArgument::c) ? BatchArgument::ldc : BatchArgument::none;
}

/// What all products have, and an array where they have not.
bool shares_sizes(const Batch& x) {
    return x.m.each == nullptr && x.n.each == nullptr && x.k.each == nullptr &&
           x.op_a.each == nullptr && x.op_b.each == nullptr;
}

/// The shape of all products. What is in an array is not looked at: good values stand in its place.
ProductShape shared_shape(const Batch& x) {
    ProductShape p{x.op_a.all, x.op_b.all, x.m.all,    x.n.all, x.k.all,
                   x.a.ld.all, x.b.ld.all, x.c.ld.all, x.type};
    if (x.op_a.each != nullptr) p.op_a = Op::NoTrans;
    if (x.op_b.each != nullptr) p.op_b = Op::NoTrans;
    const auto fill = [&](const BatchMatrix& of, BatchArgument matrix, index_t& ld) {
        if (of.ld.each != nullptr || !shares_sizes(x))
            ld = std::max<index_t>(1, stored_size(p, matrix).rows);
    };
    fill(x.a, BatchArgument::a, p.lda);
    fill(x.b, BatchArgument::b, p.ldb);
    fill(x.c, BatchArgument::c, p.ldc);
    return p;
}

bool is_none(const PerProduct<index_t>& size) { return size.each == nullptr && size.all == 0; }
/// Whether no product has elements, or none reads A and B, as far as no array says otherwise.
bool makes_nothing(const Batch& x) { return is_none(x.m) || is_none(x.n); }
bool reads_nothing(const Batch& x) {
    return is_none(x.k) || (x.alpha.each == nullptr && x.alpha.all == Scalar{});
}

void check_count(const Batch& x) {
    constexpr index_t most = std::numeric_limits<index_t>::max() / 32;  // of what is in arrays
    if (x.count < 0 || (has_arrays(x) && x.count > most))
        refuse(fmt::format("count is {}", x.count),
               x.count < 0 ? "count >= 0" : "arrays that memory can hold");
}

/// All matrices at equal distances must lie in 63 bits.
void check_stride(const BatchMatrix& of, index_t extent, const Batch& x, const char* name) {
    if (of.array != nullptr || of.data == nullptr || x.count == 1) return;
    index_t bytes = 0;
    if (of.stride == std::numeric_limits<index_t>::min() ||
        __builtin_mul_overflow(std::abs(of.stride), bytes_of(x.type), &bytes) ||
        __builtin_mul_overflow(bytes, x.count - 1, &bytes) ||
        __builtin_add_overflow(bytes, extent, &bytes))
        refuse(fmt::format("stride_{} is {}", name, of.stride), "matrices in less than 2^63 bytes");
}

void check_strides(Layout layout, const Batch& x, const ProductShape& p) {
    const auto check = [&](const BatchMatrix& of, BatchArgument matrix, index_t ld) {
        const index_t extent =
            shares_sizes(x) ? extent_of(stored_size(p, matrix), ld, bytes_of(x.type)) : 0;
        check_stride(of, extent, x, name_of(as_called(layout, matrix)));
    };
    if (!reads_nothing(x)) {
        check(x.a, BatchArgument::a, p.lda);
        check(x.b, BatchArgument::b, p.ldb);
    }
    check(x.c, BatchArgument::c, p.ldc);
    if (x.c.array == nullptr && x.c.stride == 0 && x.count > 1)
        refuse("stride_c is 0", "a C for each product");
}

}  // namespace

const char* name_of(BatchArgument argument) {
    static constexpr const char* names[] = {"none", "",     "group_sizes", "op_a", "op_b", "m",
                                            "n",    "k",    "alpha",       "a",    "lda",  "b",
                                            "ldb",  "beta", "c",           "ldc"};
    return names[static_cast<int>(argument)];
}

ProductShape shape_of(const Batch& x, index_t i) {
    return {x.op_a[i], x.op_b[i], x.m[i], x.n[i], x.k[i], x.a.ld[i], x.b.ld[i], x.c.ld[i], x.type};
}

bool has_arrays(const Batch& x) {
    return !is_uniform(x) || x.a.array != nullptr || x.b.array != nullptr || x.c.array != nullptr ||
           x.alpha.each != nullptr || x.beta.each != nullptr;
}

bool is_nothing(const Batch& x) {
    const bool keeps = x.beta.each == nullptr && x.beta.all == Scalar{1, 0};
    return x.count == 0 || makes_nothing(x) || (reads_nothing(x) && keeps);
}

StoredSize stored_size(const ProductShape& p, BatchArgument matrix) {
    const auto stored = [](Op op, index_t rows, index_t cols) {
        return op == Op::NoTrans ? StoredSize{rows, cols} : StoredSize{cols, rows};
    };
    if (matrix == BatchArgument::a) return stored(p.op_a, p.m, p.k);
    return matrix == BatchArgument::b ? stored(p.op_b, p.k, p.n) : StoredSize{p.m, p.n};
}

BatchArgument bad_argument(const ProductShape& p) {
    if (const BatchArgument bad = bad_form(p); bad != BatchArgument::none) return bad;
    const auto fits = [&](BatchArgument matrix, index_t ld) {
        return has_extent(stored_size(p, matrix), ld, bytes_of(p.type));
    };
    if (!fits(BatchArgument::a, p.lda)) return BatchArgument::lda;
    if (!fits(BatchArgument::b, p.ldb)) return BatchArgument::ldb;
    return fits(BatchArgument::c, p.ldc) ? BatchArgument::none : BatchArgument::ldc;
}

void check_shared(Layout layout, const Batch& x) {
    check_count(x);
    const ProductShape p = shared_shape(x);
    const BatchArgument bad = shares_sizes(x) ? bad_argument(p) : bad_form(p);
    if (bad != BatchArgument::none) refuse_shared(layout, bad);
    if (x.count == 0 || makes_nothing(x)) return;
    const auto is_missing = [](const BatchMatrix& m) {
        return m.array == nullptr && m.data == nullptr;
    };
    if (!reads_nothing(x) && is_missing(x.a)) refuse_shared(layout, BatchArgument::a);
    if (!reads_nothing(x) && is_missing(x.b)) refuse_shared(layout, BatchArgument::b);
    if (is_missing(x.c)) refuse_shared(layout, BatchArgument::c);
    check_strides(layout, x, p);
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
