// SPDX-License-Identifier: Apache-2.0
// The product of one tile by cuBLAS, with 64-bit sizes and the workspace that its handle was given.
#include "backend/cuda/cuda.hpp"

namespace gemmill {
namespace {

/// cublasSgemm_64 and its like.
template <class T, class F>
cublasStatus_t typed(F call, cublasHandle_t handle, const GemmArgs& g) {
    const T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
    return call(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k, &alpha,
                static_cast<const T*>(g.a), g.lda, static_cast<const T*>(g.b), g.ldb, &beta,
                static_cast<T*>(g.c), g.ldc);
}

/// cublasSgemmStridedBatched_64 and its like.
template <class T, class F>
cublasStatus_t typed(F call, cublasHandle_t handle, const GemmArgs& g, const GemmRow& row) {
    const T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
    return call(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k, &alpha,
                static_cast<const T*>(g.a), g.lda, row.a, static_cast<const T*>(g.b), g.ldb, row.b,
                &beta, static_cast<T*>(g.c), g.ldc, row.c, row.count);
}

cublasStatus_t multiply(cublasHandle_t handle, const GemmArgs& g, const GemmRow& row) {
    switch (g.type) {
        case Type::s:
            return typed<float>(cublasSgemmStridedBatched_64, handle, g, row);
        case Type::d:
            return typed<double>(cublasDgemmStridedBatched_64, handle, g, row);
        case Type::c:
            return typed<cuComplex>(cublasCgemmStridedBatched_64, handle, g, row);
        case Type::z:
            return typed<cuDoubleComplex>(cublasZgemmStridedBatched_64, handle, g, row);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

/// 16-bit elements, sums in float.
cublasStatus_t half(cublasHandle_t handle, cudaDataType_t type, const GemmArgs& g) {
    const auto alpha = value_of<float>(g.alpha), beta = value_of<float>(g.beta);
    return cublasGemmEx_64(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k, &alpha, g.a,
                           type, g.lda, g.b, type, g.ldb, &beta, g.c, type, g.ldc,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t multiply(cublasHandle_t handle, const GemmArgs& g) {
    switch (g.type) {
        case Type::s:
            return typed<float>(cublasSgemm_64, handle, g);
        case Type::c:
            return typed<cuComplex>(cublasCgemm_64, handle, g);
        case Type::z:
            return typed<cuDoubleComplex>(cublasZgemm_64, handle, g);
        case Type::h:
            return half(handle, CUDA_R_16F, g);
        case Type::b:
            return half(handle, CUDA_R_16BF, g);
        case Type::d:
            break;
    }
    return typed<double>(cublasDgemm_64, handle, g);
}

}  // namespace

int cuda_gemm(GpuBlas* blas, const GemmArgs& g) {
    const OnDevice device(blas->stream->device);
    if (g.k == 0 || g.alpha == Scalar{})
        return code_of(
            combine(blas->stream->stream, {g.type, g.m, g.n, g.beta, {}, nullptr, 1, g.c, g.ldc}));
    return code_of(multiply(blas->handle, g));
}

int cuda_gemm_row(GpuBlas* blas, const GemmArgs& g, const GemmRow& row) {
    if (row.count == 0) return 0;
    if (row.count == 1) return cuda_gemm(blas, g);
    const OnDevice device(blas->stream->device);
    return code_of(multiply(blas->handle, g, row));
}

}  // namespace gemmill
