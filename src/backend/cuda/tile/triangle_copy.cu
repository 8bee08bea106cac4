// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/tile/triangle.hpp"

namespace gemmill {
namespace {

constexpr index_t leaf = 256;  // squares at the diagonal that a kernel copies; the rest are blocks

template <class T>
__global__ void leaves_kernel(const T* from, index_t from_ld, T* to, index_t to_ld, index_t n,
                              bool lower) {
    const index_t begin = static_cast<index_t>(blockIdx.x) * leaf;
    const index_t end = begin + leaf < n ? begin + leaf : n;
    for (index_t j = begin + blockIdx.y; j < end; j += gridDim.y) {
        const index_t first = lower ? j : begin, last = lower ? end : j + 1;
        for (index_t i = first + threadIdx.x; i < last; i += blockDim.x)
            to[i + j * to_ld] = from[i + j * from_ld];
    }
}

/// Where kernels of a device find this memory; nothing when they cannot.
void* seen_by(int device, const void* pointer) {
    cudaPointerAttributes found{};
    if (cudaPointerGetAttributes(&found, pointer) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    const bool away = found.type == cudaMemoryTypeDevice && found.device != device;
    return away ? nullptr : found.devicePointer;
}

template <class T>
cudaError_t copy_leaves(cudaStream_t stream, const CopyArgs& a, const void* from, void* to) {
    const dim3 grid(static_cast<unsigned>((a.cols + leaf - 1) / leaf), 32);
    leaves_kernel<T><<<grid, 128, 0, stream>>>(static_cast<const T*>(from), a.from_ld,
                                               static_cast<T*>(to), a.to_ld, a.cols,
                                               a.triangle == Triangle::lower);
    return cudaPeekAtLastError();
}

/// Rows and columns of a square.
cudaError_t copy_block(cudaStream_t stream, const CopyArgs& a, index_t row, index_t col,
                       index_t rows, index_t cols) {
    if (rows <= 0 || cols <= 0) return cudaSuccess;
    const auto size = [&](index_t elements) {
        return static_cast<std::size_t>(elements * a.bytes);
    };
    return cudaMemcpy2DAsync(
        static_cast<std::byte*>(a.to) + size(row + col * a.to_ld), size(a.to_ld),
        static_cast<const std::byte*>(a.from) + size(row + col * a.from_ld), size(a.from_ld),
        size(rows), static_cast<std::size_t>(cols), cudaMemcpyDefault, stream);
}

/// By a kernel, which reaches pinned host memory too, or column by column.
cudaError_t copy_squares(const GpuStream& stream, const CopyArgs& a) {
    const void* from = seen_by(stream.device, a.from);
    void* to = seen_by(stream.device, a.to);
    if (from != nullptr && to != nullptr) {
        if (a.bytes == 4) return copy_leaves<float>(stream.stream, a, from, to);
        if (a.bytes == 8) return copy_leaves<double>(stream.stream, a, from, to);
        return copy_leaves<double2>(stream.stream, a, from, to);
    }
    for (index_t j = 0; j < a.cols; ++j) {
        const index_t begin = j / leaf * leaf, end = begin + leaf < a.rows ? begin + leaf : a.rows;
        const index_t first = a.triangle == Triangle::lower ? j : begin;
        const index_t count = a.triangle == Triangle::lower ? end - j : j + 1 - begin;
        if (const auto e = copy_block(stream.stream, a, first, j, count, 1)) return e;
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t copy_triangle(const GpuStream& stream, const CopyArgs& a) {
    for (index_t begin = 0; begin < a.cols; begin += leaf) {
        const index_t end = begin + leaf < a.cols ? begin + leaf : a.cols;
        const bool lower = a.triangle == Triangle::lower;
        const auto e = copy_block(stream.stream, a, lower ? end : 0, begin,
                                  lower ? a.rows - end : begin, end - begin);
        if (e != cudaSuccess) return e;
    }
    return copy_squares(stream, a);
}

}  // namespace gemmill
