// SPDX-License-Identifier: Apache-2.0
// Products whose m and k are at most `edge`: a thread makes a column of C. All it needs of A and B
// goes to registers; threads of one product read the same A, which the first cache then has.
#pragma once

#include "kernel/cuda/part/gate.cuh"
#include "kernel/cuda/part/pack.cuh"
#include "kernel/cuda/part/product.cuh"

namespace gemmill::batch {

/// Contiguous elements.
template <class T, int edge, int many, class Sum>
__device__ void load_line(Sum (&to)[edge], const T* from, int length) {
#pragma unroll
    for (int i = 0; i < edge; i += many) {
        if (i >= length) continue;
        const auto pack = *reinterpret_cast<const Pack<T, many>*>(from + i);
#pragma unroll
        for (int e = 0; e < many; ++e) to[i + e] = Number<T>::load(pack.x[e]);
    }
}

/// One column of C. Lines of `many` elements are aligned.
template <class T, int edge, bool exact, int many>
__device__ void tiny_column(const Product<T>& g, int j) {
    using N = Number<T>;
    using Sum = typename N::Sum;
    const int m = exact ? edge : g.m, k = exact && g.k > 0 ? edge : g.k;
    Sum b[edge], a[edge][edge], old[edge];
    if (g.trans_b) {
#pragma unroll
        for (int l = 0; l < edge; ++l)
            if (l < k) b[l] = N::load(g.b[l * g.b_row + j]);
    } else {
        load_line<T, edge, many>(b, g.b + j * g.b_col, k);
    }
    const int lines = g.trans_a ? m : k, length = g.trans_a ? k : m;
    const index_t ld = g.trans_a ? g.a_row : g.a_col;
#pragma unroll
    for (int l = 0; l < edge; ++l)
        if (l < lines) load_line<T, edge, many>(a[l], g.a + l * ld, length);
    const bool reads = !N::is_zero(g.beta);
    T* c = g.c + j * g.ldc;
    if (reads) load_line<T, edge, many>(old, c, m);
    Sum sum[edge] = {};
    const auto multiply = [&](auto of_a) {
#pragma unroll
        for (int l = 0; l < edge; ++l) {
            if (l >= k) continue;
            const Sum of_b = g.conj_b ? N::conj(b[l]) : b[l];
#pragma unroll
            for (int i = 0; i < edge; ++i)
                if (i < m) N::add(sum[i], of_a(i, l), of_b);
        }
    };
    if (g.conj_a)
        multiply([&](int i, int l) { return N::conj(a[i][l]); });
    else if (g.trans_a)
        multiply([&](int i, int l) { return a[i][l]; });
    else
        multiply([&](int i, int l) { return a[l][i]; });
#pragma unroll
    for (int i = 0; i < edge; i += many) {
        if (i >= m) continue;
        Pack<T, many> out;
#pragma unroll
        for (int e = 0; e < many; ++e) {
            Sum value = k > 0 ? N::times(g.alpha, sum[i + e]) : Sum{};
            if (reads) value = N::plus(value, N::scaled(g.beta, old[i + e]));
            out.x[e] = N::store(value);
        }
        *reinterpret_cast<Pack<T, many>*>(c + i) = out;
    }
}

/// exact: m and k are the edge. Products of a block are dealt to its threads once; what is left of
/// them idles.
template <class T, Shapes shapes, int edge, bool exact>
__global__ void __launch_bounds__(256, 2) tiny_kernel(const __grid_constant__ Batch x, int columns,
                                                      const __grid_constant__ Gate gate = {}) {
    if (is_shut(gate)) return;
    constexpr int many = exact ? pack_of<T>(edge) : 1;
    const int per_block = blockDim.x / columns;
    const int of_block = threadIdx.x / columns, j = threadIdx.x % columns;
    if (of_block >= per_block) return;
    const index_t step = static_cast<index_t>(gridDim.x) * per_block;
    for (index_t p = static_cast<index_t>(blockIdx.x) * per_block + of_block; p < x.count;
         p += step) {
        const Product<T> g = product_of<T, shapes>(x, p);
        if (j >= g.n) continue;
        const bool aligned = is_aligned<T, many>(g.a, g.trans_a ? g.a_row : g.a_col) &&
                             is_aligned<T, many>(g.b, g.trans_b ? many : g.b_col) &&
                             is_aligned<T, many>(g.c, g.ldc);
        if (many > 1 && aligned)
            tiny_column<T, edge, exact, many>(g, j);
        else
            tiny_column<T, edge, exact, 1>(g, j);
    }
}

}  // namespace gemmill::batch
