// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_cublas.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "backend/cuda/cuda.hpp"
#include "batch/choice/estimate.hpp"
#include "kernel/cuda/pointers/list.hpp"

namespace gemmill {
namespace {

/// A cuBLAS handle, its device and its stream.
struct Handle {
    int device = 0;
    cudaStream_t stream = nullptr;
    cublasHandle_t handle = nullptr;
};

/// Handles that nobody uses at the moment.
class Handles {
  public:
    /// One of the device, of the stream where there is one: then it need not be set to it.
    cublasStatus_t take(int device, cudaStream_t stream, Handle* handle) {
        if (!find(device, stream, handle)) {
            *handle = {device, nullptr, nullptr};
            if (const auto status = cublasCreate(&handle->handle)) return status;
        }
        if (handle->stream == stream) return CUBLAS_STATUS_SUCCESS;
        const auto status = cublasSetStream(handle->handle, stream);
        if (status == CUBLAS_STATUS_SUCCESS) handle->stream = stream;
        return status;
    }
    void give(const Handle& handle) {
        const std::lock_guard lock(mutex_);
        free_.push_back(handle);
    }

  private:
    bool find(int device, cudaStream_t stream, Handle* handle) {
        const std::lock_guard lock(mutex_);
        auto found = free_.end();
        for (auto x = free_.begin(); x != free_.end(); ++x)
            if (x->device == device && (found == free_.end() || x->stream == stream)) found = x;
        if (found == free_.end()) return false;
        *handle = *found;
        *found = free_.back();
        free_.pop_back();
        return true;
    }

    std::mutex mutex_;
    std::vector<Handle> free_;
};
Handles handles;  // closed by the driver when the process ends

struct Format {
    cudaDataType_t data;
    cublasComputeType_t compute;
};
Format format_of(Type type) {
    switch (type) {
        case Type::s:
            return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
        case Type::c:
            return {CUDA_C_32F, CUBLAS_COMPUTE_32F};
        case Type::z:
            return {CUDA_C_64F, CUBLAS_COMPUTE_64F};
        case Type::h:
            return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
        case Type::b:
            return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
        case Type::d:
            break;
    }
    return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
}

/// alpha or beta as cuBLAS reads it.
std::array<double, 2> factor_of(Type type, Scalar s) {
    std::array<double, 2> bytes{s.re, s.im};
    const std::array<float, 2> floats{static_cast<float>(s.re), static_cast<float>(s.im)};
    if (type != Type::d && type != Type::z) std::memcpy(bytes.data(), floats.data(), sizeof floats);
    return bytes;
}

bool is_strided(const Batch& x) {
    return x.a.array == nullptr && x.b.array == nullptr && x.c.array == nullptr;
}
bool is_pointers(const Batch& x) {
    return x.a.array != nullptr && x.b.array != nullptr && x.c.array != nullptr;
}

cublasStatus_t multiply(cublasHandle_t handle, const Batch& x) {
    const auto [data, compute] = format_of(x.type);
    const auto alpha = factor_of(x.type, x.alpha.all), beta = factor_of(x.type, x.beta.all);
    const auto op_a = operation(x.op_a.all), op_b = operation(x.op_b.all);
    if (is_strided(x))
        return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, x.m.all, x.n.all, x.k.all,
                                             alpha.data(), x.a.data, data, x.a.ld.all, x.a.stride,
                                             x.b.data, data, x.b.ld.all, x.b.stride, beta.data(),
                                             const_cast<void*>(x.c.data), data, x.c.ld.all,
                                             x.c.stride, x.count, compute, CUBLAS_GEMM_DEFAULT);
    return cublasGemmBatchedEx_64(handle, op_a, op_b, x.m.all, x.n.all, x.k.all, alpha.data(),
                                  x.a.array, data, x.a.ld.all, x.b.array, data, x.b.ld.all,
                                  beta.data(), const_cast<void* const*>(x.c.array), data,
                                  x.c.ld.all, x.count, compute, CUBLAS_GEMM_DEFAULT);
}

}  // namespace

bool is_for_cublas(const Batch& x) {
    return is_strided(x) || (is_pointers(x) && cublas_takes_pointers(x));
}

int batch_by_cublas(int device, cudaStream_t stream, const Batch& x) {
    Handle handle;
    auto status = handles.take(device, stream, &handle);
    if (status == CUBLAS_STATUS_SUCCESS) status = multiply(handle.handle, x);
    if (handle.handle != nullptr) handles.give(handle);
    return code_of(status);
}

int batch_by_pointers(int device, cudaStream_t stream, const Batch& x) {
    if (!is_strided(x)) return batch_by_cublas(device, stream, x);
    Batch listed = x;
    void* memory = nullptr;
    if (const auto error = batch::list_pointers(x, &memory, listed, stream)) return code_of(error);
    const int code = batch_by_cublas(device, stream, listed);
    const auto freed = cudaFreeAsync(memory, stream);
    return code != 0 ? code : code_of(freed);
}

}  // namespace gemmill
