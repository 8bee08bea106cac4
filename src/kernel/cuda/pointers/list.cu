// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/launch/launch.cuh"
#include "kernel/cuda/launch/memory.hpp"
#include "kernel/cuda/part/product.cuh"
#include "kernel/cuda/pointers/list.hpp"

namespace gemmill::batch {
namespace {

/// A thread a product.
__global__ void list_kernel(const __grid_constant__ Batch x, const void** all) {
    const index_t size = bytes_of(x.type), step = static_cast<index_t>(gridDim.x) * blockDim.x;
    const auto place = [&](const BatchMatrix& of, index_t p) {
        return static_cast<const char*>(of.data) + p * of.stride * size;
    };
    for (index_t p = own_product(); p < x.count; p += step) {
        all[p] = place(x.a, p);
        all[x.count + p] = place(x.b, p);
        all[2 * x.count + p] = place(x.c, p);
    }
}

}  // namespace

cudaError_t list_pointers(const Batch& x, void** memory, Batch& listed, cudaStream_t stream) {
    constexpr int threads = 256;
    const auto bytes = static_cast<std::size_t>(3 * x.count) * sizeof(void*);
    if (const auto e = allocate(memory, bytes, stream)) return e;
    auto* const all = static_cast<const void**>(*memory);
    listed.a.array = all, listed.b.array = all + x.count, listed.c.array = all + 2 * x.count;
    const auto e = launch<list_kernel>(parts(x.count, threads), threads, 0, {stream}, x, all);
    if (e != cudaSuccess) cudaFreeAsync(*memory, stream);
    return e;
}

}  // namespace gemmill::batch
