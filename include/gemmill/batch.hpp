// SPDX-License-Identifier: Apache-2.0
// Many small products in one call: C[i] = alpha op(A[i]) op(B[i]) + beta C[i] for i < count.
#pragma once

#include <cstdint>
#include <optional>

#include "gemmill/types.hpp"

namespace gemmill {

class Context;

/// One value for all products, or an array with one for each.
template <class V>
struct PerProduct {
    V all{};
    const V* each = nullptr;

    constexpr V operator[](index_t i) const { return each != nullptr ? each[i] : all; }
};

/// alpha or beta; `each` points to values of scalar_t<T>.
struct BatchFactor {
    Scalar all{};
    const void* each = nullptr;
};

/// A, B or C: product i has the matrix at array[i], or, where there is no array, i * stride
/// elements behind data. A stride of 0 is one matrix for all, which C must not have.
struct BatchMatrix {
    const void* data = nullptr;
    index_t stride = 0;
    const void* const* array = nullptr;
    PerProduct<index_t> ld{1};
};

/// All that a batch is. Matrices are column-major. Where m, n or k is an array, its `all` is the
/// maximum or, when that is not known, 0.
struct Batch {
    Type type = Type::d;
    index_t count = 0;
    PerProduct<Op> op_a{Op::NoTrans}, op_b{Op::NoTrans};
    PerProduct<index_t> m, n, k;
    BatchFactor alpha{{1, 0}}, beta;
    BatchMatrix a, b, c;
};

/// Whether all products have one shape.
constexpr bool is_uniform(const Batch& x) {
    return x.m.each == nullptr && x.n.each == nullptr && x.k.each == nullptr &&
           x.a.ld.each == nullptr && x.b.ld.each == nullptr && x.c.ld.each == nullptr &&
           x.op_a.each == nullptr && x.op_b.each == nullptr;
}

struct BatchOptions {
    /// Looks at every product before the first is made, and whether one writes what another writes
    /// or reads, as far as pointers are on the host; without it, only at what all share.
    bool check = false;
    /// A cudaStream_t: the call only puts its work there, and returns. Without one the result is
    /// there when the call returns. Naming a stream says that the matrices are a GPU's.
    std::optional<void*> stream;
};

/// What `info` is to tell in gemm_groups, as in the Batched BLAS standard.
enum class BatchInfo : std::int64_t { none, any, group, all };

/// The call that all others become. Every product follows the rules of gemm: C is not read when
/// beta is 0, A and B are not read when alpha or k is 0, nothing outside the matrices is touched.
/// No two products may write the same element, and none may read what another writes.
///
/// Where the matrices lie decides who makes the products:
/// - On GPUs: each product where its C is, which must be able to read its A and B. Arrays of
///   pointers, sizes and factors lie on that GPU or on the host (of several GPUs: all there); what
///   is pageable is copied in the call, which no graph can capture then. Complex elements lie at
///   multiples of their size. With a stream all products run there. Under policy auto kernels are
///   tried in first calls, some also later, so that last bits may differ; under best none are.
/// - On the host: the devices of the context, each a range of the products that follow each other,
///   by predicted work. Devices that are GPUs get copies, and C is written product by product. A
///   context that chooses for itself ("auto") takes the CPU where that is predicted to end sooner.
/// - Without GPUs: all cores, one product a core at a time.
///
/// Throws Error(bad_argument) before anything is written. With options.check it names the first bad
/// product by its index; arrays on a GPU are then looked at there, and the call waits for that.
GEMMILL_API void gemm_batch(Context& context, Layout layout, const Batch& batch,
                            const BatchOptions& options = {});

namespace detail {

template <class T>
BatchMatrix strided(const T* data, index_t ld, index_t stride) {
    return {data, stride, nullptr, {ld}};
}
template <class T>
BatchMatrix pointers(const T* const* array, PerProduct<index_t> ld) {
    return {nullptr, 0, reinterpret_cast<const void* const*>(array), ld};
}
GEMMILL_API void gemm_groups(Context& context, Layout layout, index_t group_count,
                             const index_t* group_sizes, const Batch& groups, BatchInfo mode,
                             std::int64_t* info, const BatchOptions& options);

}  // namespace detail

/// All of one shape, at equal distances: strides in elements. T and its scalars are those of gemm.
template <class T>
void gemm_strided(Context& context, Layout layout, Op op_a, Op op_b, index_t m, index_t n,
                  index_t k, scalar_t<T> alpha, const T* a, index_t lda, index_t stride_a,
                  const T* b, index_t ldb, index_t stride_b, scalar_t<T> beta, T* c, index_t ldc,
                  index_t stride_c, index_t count, const BatchOptions& options = {}) {
    gemm_batch(context, layout,
               {type_of<T>,
                count,
                {op_a},
                {op_b},
                {m},
                {n},
                {k},
                {to_scalar(alpha)},
                {to_scalar(beta)},
                detail::strided(a, lda, stride_a),
                detail::strided(b, ldb, stride_b),
                detail::strided<T>(c, ldc, stride_c)},
               options);
}

/// All of one shape, anywhere.
template <class T>
void gemm_pointers(Context& context, Layout layout, Op op_a, Op op_b, index_t m, index_t n,
                   index_t k, scalar_t<T> alpha, const T* const* a, index_t lda, const T* const* b,
                   index_t ldb, scalar_t<T> beta, T* const* c, index_t ldc, index_t count,
                   const BatchOptions& options = {}) {
    gemm_batch(context, layout,
               {type_of<T>,
                count,
                {op_a},
                {op_b},
                {m},
                {n},
                {k},
                {to_scalar(alpha)},
                {to_scalar(beta)},
                detail::pointers(a, {lda}),
                detail::pointers(b, {ldb}),
                detail::pointers<T>(c, {ldc})},
               options);
}

/// alpha or beta of gemm_variable.
template <class T>
BatchFactor per_product(PerProduct<scalar_t<T>> factor) {
    return {to_scalar(factor.all), factor.each};
}

/// Each of its own shape. PerProduct{x} is one value for all, PerProduct{max, array} one for each.
template <class T>
void gemm_variable(Context& context, Layout layout, PerProduct<Op> op_a, PerProduct<Op> op_b,
                   PerProduct<index_t> m, PerProduct<index_t> n, PerProduct<index_t> k,
                   PerProduct<scalar_t<T>> alpha, const T* const* a, PerProduct<index_t> lda,
                   const T* const* b, PerProduct<index_t> ldb, PerProduct<scalar_t<T>> beta,
                   T* const* c, PerProduct<index_t> ldc, index_t count,
                   const BatchOptions& options = {}) {
    gemm_batch(context, layout,
               {type_of<T>, count, op_a, op_b, m, n, k, per_product<T>(alpha), per_product<T>(beta),
                detail::pointers(a, lda), detail::pointers(b, ldb), detail::pointers<T>(c, ldc)},
               options);
}

/// Groups of one shape each: products of group g follow those of g - 1 in a, b and c, and the other
/// arrays, of length group_count and on the host, say what all of group g share. `info` is set, by
/// mode, for all products, for all groups, or once: 0, or minus the place of the first bad argument
/// in this list; it may be null when the mode is none. Nothing is written when anything is bad.
template <class T>
void gemm_groups(Context& context, Layout layout, index_t group_count, const index_t* group_sizes,
                 const Op* op_a, const Op* op_b, const index_t* m, const index_t* n,
                 const index_t* k, const scalar_t<T>* alpha, const T* const* a, const index_t* lda,
                 const T* const* b, const index_t* ldb, const scalar_t<T>* beta, T* const* c,
                 const index_t* ldc, BatchInfo mode = BatchInfo::none, std::int64_t* info = nullptr,
                 const BatchOptions& options = {}) {
    detail::gemm_groups(context, layout, group_count, group_sizes,
                        {type_of<T>,
                         0,
                         {Op::NoTrans, op_a},
                         {Op::NoTrans, op_b},
                         {0, m},
                         {0, n},
                         {0, k},
                         {{}, alpha},
                         {{}, beta},
                         detail::pointers(a, {1, lda}),
                         detail::pointers(b, {1, ldb}),
                         detail::pointers<T>(c, {1, ldc})},
                        mode, info, options);
}

}  // namespace gemmill
