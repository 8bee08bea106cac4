// SPDX-License-Identifier: Apache-2.0
// Batches of any type: products of many shapes are sorted here, and checked.
#include "kernel/cuda/batch_check.cuh"
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

/// Products first to first + count.
Batch slice(const Batch& x, index_t first, index_t count) {
    Batch s = x;
    s.count = count;
    const auto move = [&](auto& of) {
        if (of.each != nullptr) of.each += first;
    };
    move(s.op_a), move(s.op_b), move(s.m), move(s.n), move(s.k);
    const index_t factor = is_short(x.type) ? bytes_of(Type::s) : bytes_of(x.type);
    for (BatchFactor* of : {&s.alpha, &s.beta})
        if (of->each != nullptr) of->each = static_cast<const char*>(of->each) + first * factor;
    for (BatchMatrix* of : {&s.a, &s.b, &s.c}) {
        move(of->ld);
        if (of->array != nullptr)
            of->array += first;
        else if (of->data != nullptr)
            of->data = static_cast<const char*>(of->data) + first * of->stride * bytes_of(x.type);
    }
    return s;
}

cudaError_t sort_and_run(const Batch& x, cudaStream_t stream) {
    constexpr int threads = 256;
    void* memory = nullptr;
    if (const auto e = cudaMallocAsync(&memory, SortRoom::bytes(x.count), stream)) return e;
    const Sorted sorted = SortRoom::lay_out(memory, x.count);
    auto error = cudaMemsetAsync(memory, 0, SortRoom::head, stream);
    if (error == cudaSuccess) {
        sort_kernel<threads>
            <<<static_cast<unsigned>(parts(x.count, threads)), threads, 0, stream>>>(
                x, class_limits, sorted);
        error = cudaPeekAtLastError();
    }
    if (error == cudaSuccess)
        error = with_device_type(x.type,
                                 [&]<class T>() { return OfType<T>::classes(x, sorted, stream); });
    const auto freed = cudaFreeAsync(memory, stream);
    return error != cudaSuccess ? error : freed;
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
    constexpr index_t most = index_t{1} << 28;  // of a list
    for (index_t first = 0; first < x.count; first += most)
        if (const auto e = sort_and_run(slice(x, first, std::min(most, x.count - first)), stream))
            return e;
    return cudaSuccess;
}

cudaError_t run_early_end(const Batch& x, cudaStream_t stream) {
    return with_device_type(x.type, [&]<class T>() { return OfType<T>::early(x, stream); });
}

cudaError_t find_bad(const Batch& x, long long* found, cudaStream_t stream) {
    if (const auto e = cudaMemsetAsync(found, 0xff, sizeof *found, stream)) return e;
    return with_device_type(x.type, [&]<class T>() {
        return launch<check_kernel<T>>(parts(x.count, 256), 256, 0, stream, x,
                                       reinterpret_cast<unsigned long long*>(found));
    });
}

}  // namespace gemmill::batch
