// SPDX-License-Identifier: Apache-2.0
// What is wrong with products of a batch, looked at on the GPU.
#pragma once

#include "base/extent.hpp"
#include "kernel/cuda/part/product.cuh"

namespace gemmill::batch {

__device__ inline bool is_op(Op op) {
    return op == Op::NoTrans || op == Op::Trans || op == Op::ConjTrans;
}

/// The number of the first bad argument; they are those of BatchArgument.
template <class T>
__device__ int bad_argument(const Batch& x, index_t p) {
    constexpr int none = 0, op_a = 3, op_b = 4, m = 5, n = 6, k = 7, a = 9, lda = 10, b = 11,
                  ldb = 12, c = 14, ldc = 15;
    const Op of_a = value_of(x.op_a, p), of_b = value_of(x.op_b, p);
    const index_t rows = value_of(x.m, p), cols = value_of(x.n, p), depth = value_of(x.k, p);
    if (!is_op(of_a)) return op_a;
    if (!is_op(of_b)) return op_b;
    if (rows < 0) return m;
    if (cols < 0) return n;
    if (depth < 0) return k;
    const StoredSize stored_a =
        of_a == Op::NoTrans ? StoredSize{rows, depth} : StoredSize{depth, rows};
    const StoredSize stored_b =
        of_b == Op::NoTrans ? StoredSize{depth, cols} : StoredSize{cols, depth};
    const StoredSize stored_c{rows, cols};
    const auto is_short = [&](const BatchMatrix& of, const StoredSize& size) {
        return value_of(of.ld, p) < max(size.rows, index_t{1});
    };
    if (is_short(x.a, stored_a)) return lda;
    if (is_short(x.b, stored_b)) return ldb;
    if (is_short(x.c, stored_c)) return ldc;
    const auto is_long = [&](const BatchMatrix& of, const StoredSize& size) {
        return !has_extent(size, value_of(of.ld, p), sizeof(T));
    };
    if (is_long(x.a, stored_a)) return lda;
    if (is_long(x.b, stored_b)) return ldb;
    if (is_long(x.c, stored_c)) return ldc;
    if (rows == 0 || cols == 0) return none;
    const auto is_null = [&](const BatchMatrix& of) {
        return of.array != nullptr ? of.array[p] == nullptr : of.data == nullptr;
    };
    const bool multiplies = depth > 0 && !Number<T>::is_zero(factor_of<T>(x.alpha, p));
    if (multiplies && is_null(x.a)) return a;
    if (multiplies && is_null(x.b)) return b;
    return is_null(x.c) ? c : none;
}

template <class T>
__global__ void __launch_bounds__(256)
    check_kernel(const __grid_constant__ Batch x, unsigned long long* found) {
    const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
    for (index_t p = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; p < x.count;
         p += step)
        if (const int bad = bad_argument<T>(x, p))
            atomicMin(found, (static_cast<unsigned long long>(p) << 8) + bad);
}

}  // namespace gemmill::batch
