// SPDX-License-Identifier: Apache-2.0
// Batches of any type: products of many shapes are sorted here, and checked.
#include "kernel/batch_part.hpp"
#include "kernel/cuda/batch_check.cuh"
#include "kernel/cuda/batch_list.hpp"
#include "kernel/cuda/batch_memory.hpp"
#include "kernel/cuda/batch_run.cuh"

namespace gemmill::batch {
namespace {

template <class F>
auto with_device_type(Type type, F f) {
    switch (type) {
        case Type::s:
            return f.template operator()<float>();
        case Type::c:
            return f.template operator()<cuFloatComplex>();
        case Type::z:
            return f.template operator()<cuDoubleComplex>();
        case Type::h:
            return f.template operator()<__half>();
        case Type::b:
            return f.template operator()<__nv_bfloat16>();
        default:
            return f.template operator()<double>();
    }
}

cudaError_t sort_and_run(const Batch& x, cudaStream_t stream) {
    return with_device_type(x.type, [&]<class T>() {
        const SortRoom room{x.count, OfType<T>::room_for_jobs(x), sizeof(Job<T>)};
        void* memory = nullptr;
        if (const auto e = allocate(&memory, room.bytes(), stream)) return e;
        auto error = cudaMemsetAsync(memory, 0, SortRoom::head, stream);
        if (error == cudaSuccess) error = OfType<T>::classes(x, room.lay_out(memory), stream);
        const auto freed = cudaFreeAsync(memory, stream);
        return error != cudaSuccess ? error : freed;
    });
}

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

std::span<const Kernel> kernels_of(Type type) {
    return with_device_type(type, [&]<class T>() { return OfType<T>::kernels(); });
}

bool is_near(const Batch& x) {
    const auto near = [](const BatchMatrix& of) {
        return of.ld.each == nullptr && of.ld.all < mma_largest_ld;
    };
    return near(x.a) && near(x.b) && near(x.c);
}

cudaError_t run_variable(const Batch& x, cudaStream_t stream) {
    constexpr index_t most = index_t{1} << 20;  // so that jobs take no more than some 400 MB
    for (index_t first = 0; first < x.count; first += most)
        if (const auto e = sort_and_run(slice(x, first, std::min(x.count, first + most)), stream))
            return e;
    return cudaSuccess;
}

cudaError_t run_early_end(const Batch& x, cudaStream_t stream) {
    return with_device_type(x.type, [&]<class T>() { return OfType<T>::early(x, stream); });
}

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

cudaError_t find_bad(const Batch& x, long long* found, cudaStream_t stream) {
    if (const auto e = cudaMemsetAsync(found, 0xff, sizeof *found, stream)) return e;
    return with_device_type(x.type, [&]<class T>() {
        return launch<check_kernel<T>>(parts(x.count, 256), 256, 0, {stream}, x,
                                       reinterpret_cast<unsigned long long*>(found));
    });
}

}  // namespace gemmill::batch
