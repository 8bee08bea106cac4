// SPDX-License-Identifier: Apache-2.0
// What the files of the CUDA part share.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "backend/cuda/tile/combine.hpp"
#include "backend/gpu_driver.hpp"

namespace gemmill {

struct GpuStream {
    int device = 0;
    cudaStream_t stream = nullptr;
};

struct GpuEvent {
    int device = 0;
    cudaEvent_t event = nullptr;
};

struct GpuBlas {
    GpuStream* stream = nullptr;
    GpuRoom room;
    cublasHandle_t handle = nullptr;
    void* workspace = nullptr;
    /// Of trmm, gemmt and rank-2 updates, once it was needed and there was memory.
    void* scratch = nullptr;

    index_t scratch_bytes() const { return static_cast<index_t>(room.scratch); }
};

/// Codes of cuBLAS lie behind those of CUDA.
inline constexpr int cublas_codes = 100000;
inline int code_of(cudaError_t error) { return static_cast<int>(error); }
inline int code_of(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? 0 : cublas_codes + static_cast<int>(status);
}

inline cublasOperation_t operation(Op op) {
    return op == Op::NoTrans ? CUBLAS_OP_N : op == Op::Trans ? CUBLAS_OP_T : CUBLAS_OP_C;
}

/// A factor as a T: float, double, or a complex type of CUDA.
template <class T>
T value_of(Scalar s) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(s.re);
    else
        return {static_cast<decltype(T::x)>(s.re), static_cast<decltype(T::x)>(s.im)};
}

/// From now on the calling thread disturbs no graph that another one captures.
inline void ignore_captures() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) cudaGetLastError();
}

/// Makes a device the calling thread's for the time of a call, and then puts back the user's.
class OnDevice {
  public:
    explicit OnDevice(int device) {
        cudaGetDevice(&before_);
        if (before_ == device) return;
        changed_ = true;
        cudaSetDevice(device);
    }
    ~OnDevice() {
        if (changed_) cudaSetDevice(before_);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

  private:
    int before_ = 0;
    bool changed_ = false;
};

int cuda_probe(const GpuAssumed& assumed, char* text, std::size_t size);
int cuda_gemm(GpuBlas* blas, const GemmArgs& args);
/// Products of one shape: how far the next one's matrices are, in elements.
struct GemmRow {
    index_t a = 0, b = 0, c = 0;
    index_t count = 0;
};
/// In one call. Of types s, d, c, z, with k and alpha that are not 0.
int cuda_gemm_row(GpuBlas* blas, const GemmArgs& first, const GemmRow& row);
int cuda_kernel(GpuBlas* blas, const KernelArgs& args);
int cuda_batch(int device, std::optional<void*> stream, const Batch& batch, bool may_try);
int cuda_batch_early_end(int device, std::optional<void*> stream, const Batch& batch);
bool cuda_batch_kernel(Type type, int i, GpuBatchKernel* kernel);
int cuda_batch_by(int device, std::optional<void*> stream, const Batch& batch, const char* kernel);
bool cuda_batch_work(const Batch& batch, const char* kernel, int processors, BatchWork* work);
int cuda_check_batch(int device, std::optional<void*> stream, const Batch& batch, index_t* product,
                     int* argument);

}  // namespace gemmill
