// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/tile/mirror.hpp"
#include "backend/cuda/tile/numbers.cuh"

namespace gemmill {
namespace {

constexpr int edge = 32;    // of the blocks that are turned in shared memory
constexpr int threads = 8;  // that share a row of one

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
    return with_number(args.type, [&]<class T>() { return typed<T>(stream, args); });
}

}  // namespace gemmill
