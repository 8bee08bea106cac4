// SPDX-License-Identifier: Apache-2.0
// Batches on a GPU: brings arrays where the device reads them, and runs what is chosen for them.
#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "backend/cuda/batch/batch_call.hpp"
#include "backend/cuda/batch/batch_cublas.hpp"
#include "backend/cuda/cuda.hpp"
#include "kernel/cuda/fitted/kernel.hpp"
#include "kernel/cuda/kernels.hpp"

namespace gemmill {
namespace {

/// Arrays of a batch in pageable memory, copied to the device; the memory is the stream's.
class Localized {
  public:
    Localized(const Batch& batch, cudaStream_t stream) : batch_(batch), stream_(stream) {}
    ~Localized() {
        for (void* pointer : owned_) cudaFreeAsync(pointer, stream_);
    }
    Localized(const Localized&) = delete;
    Localized& operator=(const Localized&) = delete;

    cudaError_t run() {
        for (auto* sizes :
             {&batch_.m, &batch_.n, &batch_.k, &batch_.a.ld, &batch_.b.ld, &batch_.c.ld})
            if (const auto error = bring(sizes->each)) return error;
        for (auto* ops : {&batch_.op_a, &batch_.op_b})
            if (const auto error = bring(ops->each)) return error;
        const index_t bytes = is_short(batch_.type) ? bytes_of(Type::s) : bytes_of(batch_.type);
        for (auto* factor : {&batch_.alpha, &batch_.beta})
            if (const auto error = bring(factor->each, bytes)) return error;
        for (auto* matrix : {&batch_.a, &batch_.b, &batch_.c})
            if (const auto error = bring(matrix->array)) return error;
        return cudaSuccess;
    }
    const Batch& batch() const { return batch_; }

  private:
    template <class V>
    cudaError_t bring(const V*& array) {
        const void* pointer = array;
        const auto error = bring(pointer, sizeof(V));
        array = static_cast<const V*>(pointer);
        return error;
    }
    cudaError_t bring(const void*& array, index_t bytes) {
        if (array == nullptr) return cudaSuccess;
        cudaPointerAttributes attributes{};
        if (const auto error = cudaPointerGetAttributes(&attributes, array)) return error;
        if (attributes.type != cudaMemoryTypeUnregistered) return cudaSuccess;
        // A graph would read the host's array when it runs, and it may be gone by then.
        if (batch::is_captured(stream_)) return cudaErrorStreamCaptureUnsupported;
        const auto size = static_cast<std::size_t>(batch_.count * bytes);
        void* copy = nullptr;
        if (const auto error = cudaMallocAsync(&copy, size, stream_)) return error;
        owned_.push_back(copy);
        if (const auto error = cudaMemcpyAsync(copy, array, size, cudaMemcpyHostToDevice, stream_))
            return error;
        array = copy;
        return cudaSuccess;
    }

    Batch batch_;
    cudaStream_t stream_;
    std::vector<void*> owned_;
};

int run_by(const BatchChoice& choice, int device, cudaStream_t stream, const Batch& x) {
    if (choice.fitted != nullptr) return code_of(choice.fitted->run(x, stream));
    if (choice.kernel != nullptr) return code_of(choice.kernel->run(x, stream));
    return choice.by_pointers ? batch_by_pointers(device, stream, x)
                              : batch_by_cublas(device, stream, x);
}

/// Products of one shape: what is chosen for them.
int run_uniform(int device, cudaStream_t stream, const Batch& x, bool may_try) {
    if (!batch::is_near(x)) return run_by({batch_kernel_named(x.type, "far")}, device, stream, x);
    const bool multiplies = x.k.all > 0 && x.alpha.all != Scalar{};
    const BatchCall call(device, stream, x, multiplies && is_for_cublas(x), may_try);
    if (const batch::PointerGuess* guess = call.guess())
        return code_of(batch::run_guessed(x, *guess, stream));
    return run_by(call.choice(), device, stream, x);
}

/// By a kernel that is fitted to the batch at once.
int run_fitted(cudaStream_t stream, const Batch& x, std::string_view name) {
    const auto fits = batch::fits_of(x.type);
    const auto fit = std::ranges::find(fits, name, &batch::Fittable::name);
    const auto kernel = fit == fits.end()
                            ? nullptr
                            : batch::FittedKernel::make(x, static_cast<int>(fit - fits.begin()));
    if (kernel == nullptr) return code_of(cudaErrorInvalidValue);
    const auto error = kernel->run(x, stream);
    return code_of(error != cudaSuccess ? error : cudaStreamSynchronize(stream));
}

bool is_one_shape(const Batch& x) {
    return is_uniform(x) && x.alpha.each == nullptr && x.beta.each == nullptr;
}

int run_chosen(int device, cudaStream_t stream, const Batch& x, bool may_try) {
    if (!is_one_shape(x)) return code_of(batch::run_variable(x, stream));
    if (x.m.all == 0 || x.n.all == 0) return 0;
    return run_uniform(device, stream, x, may_try);
}

int run_early_end(int, cudaStream_t stream, const Batch& x) {
    return code_of(batch::run_early_end(x, stream));
}

/// The last error of the runtime is the user's.
int forgotten(int code) {
    if (code != 0) cudaGetLastError();
    return code;
}

int own_device() {
    int device = 0;
    cudaGetDevice(&device);
    return device;
}

using Run = std::function<int(int device, cudaStream_t stream, const Batch& batch)>;

int run_localized(int device, cudaStream_t stream, const Batch& batch, const Run& run) {
    Localized local(batch, stream);
    if (const auto error = local.run()) return code_of(error);
    return run(device, stream, local.batch());
}

int run_on(int device, std::optional<void*> given, const Batch& batch, const Run& run) {
    if (device < 0) device = own_device();
    const OnDevice on(device);
    const auto stream = given ? static_cast<cudaStream_t>(*given) : cudaStreamPerThread;
    const int fault = run_localized(device, stream, batch, run);
    if (fault != 0 || given) return forgotten(fault);
    return forgotten(code_of(cudaStreamSynchronize(stream)));
}

int find_bad(cudaStream_t stream, const Batch& batch, long long* found) {
    Localized local(batch, stream);
    if (const auto error = local.run()) return code_of(error);
    void* there = nullptr;
    if (const auto error = cudaMallocAsync(&there, sizeof *found, stream)) return code_of(error);
    auto error = batch::find_bad(local.batch(), static_cast<long long*>(there), stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(found, there, sizeof *found, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(there, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    return code_of(error);
}

}  // namespace

int cuda_batch(int device, std::optional<void*> stream, const Batch& batch, bool may_try) {
    return run_on(device, stream, batch, [&](int on, cudaStream_t in, const Batch& x) {
        return run_chosen(on, in, x, may_try);
    });
}

int cuda_batch_early_end(int device, std::optional<void*> stream, const Batch& batch) {
    return run_on(device, stream, batch, run_early_end);
}

bool cuda_batch_kernel(Type type, int i, GpuBatchKernel* kernel) {
    const auto all = batch::kernels_of(type);
    if (static_cast<std::size_t>(i) >= all.size()) return false;
    const batch::Kernel& found = all[static_cast<std::size_t>(i)];
    *kernel = {found.name.data(), found.edge, found.k, found.takes != nullptr};
    return true;
}

int cuda_batch_by(int device, std::optional<void*> stream, const Batch& batch, const char* name) {
    constexpr std::string_view fitted = "fitted:";
    const batch::Kernel* kernel = batch_kernel_named(batch.type, name);
    return run_on(device, stream, batch, [&](int on, cudaStream_t in, const Batch& x) {
        if (std::string_view(name).starts_with(fitted))
            return run_fitted(in, x, name + fitted.size());
        if (kernel != nullptr) return code_of(kernel->run(x, in));
        return std::string_view(name) == "cublas:pointers" ? batch_by_pointers(on, in, x)
                                                           : batch_by_cublas(on, in, x);
    });
}

bool cuda_batch_work(const Batch& batch, const char* name, int processors, BatchWork* work) {
    const batch::Kernel* kernel = batch_kernel_named(batch.type, name);
    if (kernel == nullptr || !can_make(*kernel, batch)) return false;
    *work = kernel->work(batch, processors);
    return true;
}

int cuda_check_batch(int device, std::optional<void*> given, const Batch& batch, index_t* product,
                     int* argument) {
    const OnDevice on(device < 0 ? own_device() : device);
    const auto stream = given ? static_cast<cudaStream_t>(*given) : cudaStreamPerThread;
    long long found = -1;
    const int fault = find_bad(stream, batch, &found);
    *product = found < 0 ? -1 : found >> 8;
    *argument = static_cast<int>(found & 0xff);
    return forgotten(fault);
}

}  // namespace gemmill
