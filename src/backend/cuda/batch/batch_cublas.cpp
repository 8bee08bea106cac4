// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_cublas.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cuda/cuda.hpp"
#include "kernel/cuda/batch_list.hpp"

namespace gemmill {
namespace {

/// cuBLAS handles that nobody uses at the moment, by device.
class Handles {
  public:
    cublasStatus_t take(int device, cublasHandle_t* handle) {
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < free_.size(); ++i)
                if (free_[i].first == device) {
                    *handle = free_[i].second;
                    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
                    return CUBLAS_STATUS_SUCCESS;
                }
        }
        return cublasCreate(handle);
    }
    void give(int device, cublasHandle_t handle) {
        const std::lock_guard lock(mutex_);
        free_.emplace_back(device, handle);
    }

  private:
    std::mutex mutex_;
    std::vector<std::pair<int, cublasHandle_t>> free_;
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

bool is_for_cublas(const Batch& x) { return is_strided(x) || is_pointers(x); }

int batch_by_cublas(int device, cudaStream_t stream, const Batch& x) {
    cublasHandle_t handle = nullptr;
    if (const auto status = handles.take(device, &handle)) return code_of(status);
    auto status = cublasSetStream(handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS) status = multiply(handle, x);
    handles.give(device, handle);
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
