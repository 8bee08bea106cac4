// SPDX-License-Identifier: Apache-2.0
#include <cuComplex.h>

#include "backend/cuda/mirror.hpp"

namespace gemmill {
namespace {

constexpr int edge = 32;    // of the blocks that are turned in shared memory
constexpr int threads = 8;  // that share a row of one

__device__ float conjugate(float x) { return x; }
__device__ double conjugate(double x) { return x; }
__device__ cuFloatComplex conjugate(cuFloatComplex x) { return cuConjf(x); }
__device__ cuDoubleComplex conjugate(cuDoubleComplex x) { return cuConj(x); }

__device__ float real_part(float x) { return x; }
__device__ double real_part(double x) { return x; }
__device__ cuFloatComplex real_part(cuFloatComplex x) { return make_cuFloatComplex(x.x, 0); }
__device__ cuDoubleComplex real_part(cuDoubleComplex x) { return make_cuDoubleComplex(x.x, 0); }

template <class T>
struct Mirror {
    const T* from;
    T* to;
    index_t ld, m, n;
    bool lower, hermitian, square;

    /// Of a square: what is stored stays as it is.
    __device__ bool stays(index_t i, index_t j) const { return square && (lower ? i > j : i < j); }
};

/// A block is read and written along its columns. In a square no block writes what another reads.
template <class T>
__global__ void mirror_kernel(Mirror<T> g) {
    __shared__ T block[edge][edge + 1];
    const index_t row = static_cast<index_t>(blockIdx.x) * edge;
    const index_t col = static_cast<index_t>(blockIdx.y) * edge;
    if (row != col && g.stays(row, col)) return;
    for (int l = threadIdx.y; l < edge; l += threads) {
        const index_t i = col + threadIdx.x, j = row + l;  // of the stored one
        if (i < g.n && j < g.m) block[l][threadIdx.x] = g.from[i + j * g.ld];
    }
    __syncthreads();
    for (int l = threadIdx.y; l < edge; l += threads) {
        const index_t i = row + threadIdx.x, j = col + l;
        if (i >= g.m || j >= g.n || g.stays(i, j)) continue;
        const T image = block[threadIdx.x][l];
        const bool diagonal = g.square && i == j;
        g.to[i + j * g.ld] = !g.hermitian ? image : diagonal ? real_part(image) : conjugate(image);
    }
}

template <class T>
cudaError_t typed(cudaStream_t stream, const MirrorArgs& a) {
    const Mirror<T> g{static_cast<const T*>(a.from), static_cast<T*>(a.to), a.ld,          a.m, a.n,
                      a.uplo == Uplo::Lower,         a.conjugate,           a.from == a.to};
    const auto blocks = [](index_t size) {
        return static_cast<unsigned>((size + edge - 1) / edge);
    };
    mirror_kernel<T><<<dim3(blocks(a.m), blocks(a.n)), dim3(edge, threads), 0, stream>>>(g);
    return cudaPeekAtLastError();
}

}  // namespace

cudaError_t mirror(cudaStream_t stream, const MirrorArgs& args) {
    if (args.m == 0 || args.n == 0) return cudaSuccess;
    switch (args.type) {
        case Type::s:
            return typed<float>(stream, args);
        case Type::c:
            return typed<cuFloatComplex>(stream, args);
        case Type::z:
            return typed<cuDoubleComplex>(stream, args);
        default:
            return typed<double>(stream, args);
    }
}

}  // namespace gemmill
