// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "backend/cuda/tile/numbers.cuh"
#include "backend/cuda/tile/triangle.hpp"

namespace gemmill {
namespace {

constexpr int side = 16;  // of a block of threads, and of its tiles

/// Column-major n x n with one triangle.
template <class T>
struct Triangle {
    T* c;
    index_t ld, n;
    bool lower;

    __device__ bool has(index_t i, index_t j) const {
        return i < n && j < n && (lower ? i >= j : i <= j);
    }
    /// Whether a tile has some of it.
    __device__ bool touches(index_t row, index_t col) const {
        return lower ? row + side > col : col + side > row;
    }
    /// As a triangular matrix.
    __device__ std::remove_const_t<T> element(index_t i, index_t j, bool unit) const {
        if (unit && i == j) return one<std::remove_const_t<T>>();
        return has(i, j) ? c[i + j * ld] : T{};
    }
};

/// beta times an element of C; that of a hermitian update is real, and so is C's diagonal.
template <class T>
__device__ T kept(T beta, T c, bool hermitian, bool diagonal) {
    if (!hermitian) return scaled(beta, c);
    const T product = times_real(beta, c);
    return diagonal ? real_part(product) : product;
}

template <class T>
__global__ void scale_kernel(Triangle<T> t, T beta, bool read, bool hermitian) {
    const index_t j = static_cast<index_t>(blockIdx.y) * side + threadIdx.y;
    const index_t i = static_cast<index_t>(blockIdx.x) * side + threadIdx.x;
    if (!t.has(i, j)) return;
    T& out = t.c[i + j * t.ld];
    out = read ? kept(beta, out, hermitian, i == j) : T{};
}

/// Column-major m x n.
template <class T>
struct Rectangle {
    T* c;
    index_t ld, m, n;

    __device__ bool has(index_t i, index_t j) const { return i < m && j < n; }
    __device__ bool touches(index_t, index_t) const { return true; }
};

/// op(X), read where it has elements.
template <class T>
struct Factor {
    const T* x;
    index_t ld, rows, cols;  ///< of op(X)
    Op op;

    __device__ T operator()(index_t i, index_t j) const {
        if (i >= rows || j >= cols) return T{};
        if (op == Op::NoTrans) return x[i + j * ld];
        return op == Op::Trans ? x[j + i * ld] : conjugate(x[j + i * ld]);
    }
};

/// op(A) of a triangular A.
template <class T>
struct TriangularFactor {
    Triangle<const T> a;
    Op op;
    bool unit;

    __device__ T operator()(index_t i, index_t j) const {
        const T value = op == Op::NoTrans ? a.element(i, j, unit) : a.element(j, i, unit);
        return op == Op::ConjTrans ? conjugate(value) : value;
    }
};

/// C = alpha A B + beta C, with k columns of A.
template <class T, class Out, class A, class B>
__global__ void plain_kernel(Out c, A a, B b, index_t k, T alpha, T beta, bool read) {
    __shared__ T left[side][side + 1], right[side][side + 1];
    const index_t row = static_cast<index_t>(blockIdx.x) * side;
    const index_t col = static_cast<index_t>(blockIdx.y) * side;
    if (!c.touches(row, col)) return;
    const index_t i = row + threadIdx.x, j = col + threadIdx.y;
    T total{};
    for (index_t l = 0; l < k; l += side) {
        left[threadIdx.x][threadIdx.y] = a(i, l + threadIdx.y);
        right[threadIdx.x][threadIdx.y] = b(l + threadIdx.x, j);
        __syncthreads();
        const int depth = static_cast<int>(k - l < side ? k - l : side);
        for (int q = 0; q < depth; ++q)
            total = sum(total, times(left[threadIdx.x][q], right[q][threadIdx.y]));
        __syncthreads();
    }
    if (!c.has(i, j)) return;
    T& out = c.c[i + j * c.ld];
    total = times(alpha, total);
    out = read ? sum(scaled(beta, out), total) : total;
}

template <class T>
__global__ void fill_kernel(Triangle<const T> a, bool unit, T* x) {
    const index_t j = static_cast<index_t>(blockIdx.y) * side + threadIdx.y;
    const index_t i = static_cast<index_t>(blockIdx.x) * side + threadIdx.x;
    if (i >= a.n || j >= a.n) return;
    const index_t square = blockIdx.z;
    a.c += square * a.n * (a.ld + 1);
    x[square * a.n * a.n + i + j * a.n] = a.element(i, j, unit);
}

template <class T>
__global__ void add_kernel(Triangle<T> t, const T* x, T beta, bool read) {
    const index_t j = static_cast<index_t>(blockIdx.y) * side + threadIdx.y;
    const index_t i = static_cast<index_t>(blockIdx.x) * side + threadIdx.x;
    if (!t.has(i, j)) return;
    const index_t square = blockIdx.z;
    T& out = t.c[square * t.n * (t.ld + 1) + i + j * t.ld];
    const T added = x[square * t.n * t.n + i + j * t.n];
    out = read ? sum(scaled(beta, out), added) : added;
}

/// The image of a block is turned in shared memory.
template <class T>
__global__ void fold_kernel(Triangle<T> t, const T* x, T beta, bool read, bool hermitian) {
    __shared__ T image[side][side + 1];
    const index_t row = static_cast<index_t>(blockIdx.x) * side;
    const index_t col = static_cast<index_t>(blockIdx.y) * side;
    if (!t.touches(row, col)) return;
    const index_t p = col + threadIdx.x, q = row + threadIdx.y;
    if (p < t.n && q < t.n) image[threadIdx.y][threadIdx.x] = x[p + q * t.n];
    __syncthreads();
    const index_t i = row + threadIdx.x, j = col + threadIdx.y;
    if (!t.has(i, j)) return;
    const T other = image[threadIdx.x][threadIdx.y];
    T total = sum(x[i + j * t.n], hermitian ? conjugate(other) : other);
    T& out = t.c[i + j * t.ld];
    if (read) total = sum(kept(beta, out, hermitian, i == j), total);
    out = hermitian && i == j ? real_part(total) : total;
}

unsigned blocks_of(index_t n) { return static_cast<unsigned>((n + side - 1) / side); }
dim3 grid_of(index_t n, index_t squares = 1) {
    return {blocks_of(n), blocks_of(n), static_cast<unsigned>(squares)};
}

template <class T>
Triangle<T> triangle_of(const KernelArgs& g) {
    return {static_cast<T*>(g.c), g.ldc, g.n, g.uplo == Uplo::Lower};
}

template <class T>
cudaError_t scale(cudaStream_t stream, const KernelArgs& g) {
    const bool real = g.op == Opcode::herk || g.op == Opcode::her2k;
    scale_kernel<T><<<grid_of(g.n), dim3(side, side), 0, stream>>>(
        triangle_of<T>(g), value_of<T>(g.beta), g.beta != Scalar{}, real);
    return cudaPeekAtLastError();
}

template <class T>
cudaError_t add(cudaStream_t stream, const KernelArgs& g, index_t n, index_t count, const void* x) {
    Triangle<T> first = triangle_of<T>(g);
    first.n = n;
    add_kernel<T><<<grid_of(n, count), dim3(side, side), 0, stream>>>(
        first, static_cast<const T*>(x), value_of<T>(g.beta), g.beta != Scalar{});
    return cudaPeekAtLastError();
}

template <class T>
cudaError_t fold(cudaStream_t stream, const KernelArgs& g, const void* x) {
    fold_kernel<T><<<grid_of(g.n), dim3(side, side), 0, stream>>>(
        triangle_of<T>(g), static_cast<const T*>(x), value_of<T>(g.beta), g.beta != Scalar{},
        g.op == Opcode::her2k);
    return cudaPeekAtLastError();
}

template <class T>
cudaError_t gemmt(cudaStream_t stream, const KernelArgs& g) {
    const Factor<T> a{static_cast<const T*>(g.a), g.lda, g.n, g.k, g.op_a};
    const Factor<T> b{static_cast<const T*>(g.b), g.ldb, g.k, g.n, g.op_b};
    plain_kernel<T><<<grid_of(g.n), dim3(side, side), 0, stream>>>(
        triangle_of<T>(g), a, b, g.k, value_of<T>(g.alpha), value_of<T>(g.beta),
        g.beta != Scalar{});
    return cudaPeekAtLastError();
}

/// A of trmm, or a square of it.
template <class T>
Triangle<const T> triangle_of_a(const KernelArgs& g, index_t n) {
    return {static_cast<const T*>(g.a), g.lda, n, g.uplo == Uplo::Lower};
}

template <class T>
cudaError_t trmm(cudaStream_t stream, const KernelArgs& g) {
    const bool left = g.side == Side::Left;
    const index_t edge = left ? g.m : g.n;
    const TriangularFactor<T> a{triangle_of_a<T>(g, edge), g.op_a, g.diag == Diag::Unit};
    constexpr index_t most = index_t{65535} * side;  // columns of a grid; an edge is shorter
    for (index_t first = 0; first < g.n; first += most) {
        const index_t cols = std::min(most, g.n - first);
        const Rectangle<T> c{static_cast<T*>(g.c) + first * g.ldc, g.ldc, g.m, cols};
        const Factor<T> b{static_cast<const T*>(g.b) + first * g.ldb, g.ldb, g.m, cols,
                          Op::NoTrans};
        const auto run = [&](const auto& x, const auto& y) {
            plain_kernel<T><<<dim3(blocks_of(g.m), blocks_of(cols)), dim3(side, side), 0, stream>>>(
                c, x, y, edge, value_of<T>(g.alpha), value_of<T>(g.beta), g.beta != Scalar{});
        };
        left ? run(a, b) : run(b, a);
    }
    return cudaPeekAtLastError();
}

template <class T>
cudaError_t fill(cudaStream_t stream, const KernelArgs& g, index_t n, index_t count, void* x) {
    fill_kernel<T><<<grid_of(n, count), dim3(side, side), 0, stream>>>(
        triangle_of_a<T>(g, n), g.diag == Diag::Unit, static_cast<T*>(x));
    return cudaPeekAtLastError();
}

}  // namespace

cudaError_t scale_triangle(cudaStream_t stream, const KernelArgs& g) {
    if (g.n == 0) return cudaSuccess;
    return with_number(g.type, [&]<class T>() { return scale<T>(stream, g); });
}

cudaError_t add_triangles(cudaStream_t stream, const KernelArgs& g, index_t n, index_t count,
                          const void* x) {
    return with_number(g.type, [&]<class T>() { return add<T>(stream, g, n, count, x); });
}

cudaError_t fold_triangle(cudaStream_t stream, const KernelArgs& g, const void* x) {
    return with_number(g.type, [&]<class T>() { return fold<T>(stream, g, x); });
}

cudaError_t small_gemmt(cudaStream_t stream, const KernelArgs& g) {
    return with_number(g.type, [&]<class T>() { return gemmt<T>(stream, g); });
}

cudaError_t small_trmm(cudaStream_t stream, const KernelArgs& g) {
    return with_number(g.type, [&]<class T>() { return trmm<T>(stream, g); });
}

cudaError_t fill_triangles(cudaStream_t stream, const KernelArgs& g, index_t n, index_t count,
                           void* x) {
    return with_number(g.type, [&]<class T>() { return fill<T>(stream, g, n, count, x); });
}

}  // namespace gemmill
