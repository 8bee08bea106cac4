// SPDX-License-Identifier: Apache-2.0
// Batches of any type: products of many shapes are sorted here, and checked.
#include "kernel/batch_part.hpp"
#include "kernel/cuda/check.cuh"
#include "kernel/cuda/compiled/of_type.cuh"
#include "kernel/cuda/kernels.hpp"
#include "kernel/cuda/launch/launch.cuh"
#include "kernel/cuda/launch/memory.hpp"
#include "kernel/cuda/many_shapes/classes.cuh"

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

}  // namespace

std::span<const Kernel> kernels_of(Type type) {
    return with_device_type(type, [&]<class T>() { return OfType<T>::kernels(); });
}

std::span<const Fittable> fits_of(Type type) {
    return with_device_type(type, [&]<class T>() { return OfType<T>::fits(); });
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

cudaError_t find_bad(const Batch& x, long long* found, cudaStream_t stream) {
    if (const auto e = cudaMemsetAsync(found, 0xff, sizeof *found, stream)) return e;
    return with_device_type(x.type, [&]<class T>() {
        return launch<check_kernel<T>>(parts(x.count, 256), 256, 0, {stream}, x,
                                       reinterpret_cast<unsigned long long*>(found));
    });
}

}  // namespace gemmill::batch
