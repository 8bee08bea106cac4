// SPDX-License-Identifier: Apache-2.0
// The other routines of level 3 on tiles, by cuBLAS with 64-bit sizes.
#include "backend/cuda/cuda.hpp"
#include "backend/cuda/tile/combine.hpp"
#include "backend/cuda/tile/squares.hpp"
#include "backend/cuda/tile/triangle.hpp"
#include "plan/ops.hpp"

namespace gemmill {
namespace {

cublasSideMode_t side_of(const KernelArgs& g) {
    return g.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasFillMode_t fill_of(const KernelArgs& g) {
    return g.uplo == Uplo::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
cublasDiagType_t diag_of(const KernelArgs& g) {
    return g.diag == Diag::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

/// The calls of a type; hermitian ones are those of real numbers where there are no others.
template <class T>
struct Calls;
template <>
struct Calls<float> {
    using Real = float;
    static constexpr auto symm = cublasSsymm_64, hemm = cublasSsymm_64;
    static constexpr auto syrk = cublasSsyrk_64, herk = cublasSsyrk_64;
    static constexpr auto syr2k = cublasSsyr2k_64, her2k = cublasSsyr2k_64;
    static constexpr auto trmm = cublasStrmm_64;
    static constexpr auto trsm = cublasStrsm_64;
};
template <>
struct Calls<double> {
    using Real = double;
    static constexpr auto symm = cublasDsymm_64, hemm = cublasDsymm_64;
    static constexpr auto syrk = cublasDsyrk_64, herk = cublasDsyrk_64;
    static constexpr auto syr2k = cublasDsyr2k_64, her2k = cublasDsyr2k_64;
    static constexpr auto trmm = cublasDtrmm_64;
    static constexpr auto trsm = cublasDtrsm_64;
};
template <>
struct Calls<cuComplex> {
    using Real = float;
    static constexpr auto symm = cublasCsymm_64, hemm = cublasChemm_64;
    static constexpr auto syrk = cublasCsyrk_64;
    static constexpr auto herk = cublasCherk_64;
    static constexpr auto syr2k = cublasCsyr2k_64;
    static constexpr auto her2k = cublasCher2k_64;
    static constexpr auto trmm = cublasCtrmm_64;
    static constexpr auto trsm = cublasCtrsm_64;
};
template <>
struct Calls<cuDoubleComplex> {
    using Real = double;
    static constexpr auto symm = cublasZsymm_64, hemm = cublasZhemm_64;
    static constexpr auto syrk = cublasZsyrk_64;
    static constexpr auto herk = cublasZherk_64;
    static constexpr auto syr2k = cublasZsyr2k_64;
    static constexpr auto her2k = cublasZher2k_64;
    static constexpr auto trmm = cublasZtrmm_64;
    static constexpr auto trsm = cublasZtrsm_64;
};

template <class T>
cublasStatus_t typed(cublasHandle_t handle, const KernelArgs& g) {
    using Real = typename Calls<T>::Real;
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
    const Real real_alpha = value_of<Real>(g.alpha), real_beta = value_of<Real>(g.beta);
    const auto uplo = fill_of(g);
    const auto op = operation(g.op_a);
    switch (g.op) {
        case Opcode::symm:
            return Calls<T>::symm(handle, side_of(g), uplo, g.m, g.n, &alpha, a, g.lda, b, g.ldb,
                                  &beta, c, g.ldc);
        case Opcode::hemm:
            return Calls<T>::hemm(handle, side_of(g), uplo, g.m, g.n, &alpha, a, g.lda, b, g.ldb,
                                  &beta, c, g.ldc);
        case Opcode::syrk:
            return Calls<T>::syrk(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, &beta, c, g.ldc);
        case Opcode::herk:
            return Calls<T>::herk(handle, uplo, op, g.n, g.k, &real_alpha, a, g.lda, &real_beta, c,
                                  g.ldc);
        case Opcode::syr2k:
            return Calls<T>::syr2k(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, b, g.ldb, &beta, c,
                                   g.ldc);
        case Opcode::her2k:
            return Calls<T>::her2k(handle, uplo, op, g.n, g.k, &alpha, a, g.lda, b, g.ldb,
                                   &real_beta, c, g.ldc);
        case Opcode::trmm:
            return Calls<T>::trmm(handle, side_of(g), uplo, op, diag_of(g), g.m, g.n, &alpha, a,
                                  g.lda, b != nullptr ? b : c, b != nullptr ? g.ldb : g.ldc, c,
                                  g.ldc);
        case Opcode::trsm:
            return Calls<T>::trsm(handle, side_of(g), uplo, op, diag_of(g), g.m, g.n, &alpha, a,
                                  g.lda, c, g.ldc);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t call(cublasHandle_t handle, const KernelArgs& g) {
    switch (g.type) {
        case Type::s:
            return typed<float>(handle, g);
        case Type::d:
            return typed<double>(handle, g);
        case Type::c:
            return typed<cuComplex>(handle, g);
        case Type::z:
            return typed<cuDoubleComplex>(handle, g);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

}  // namespace

int cublas_level3(GpuBlas* blas, const KernelArgs& g) { return code_of(call(blas->handle, g)); }

int cuda_kernel(GpuBlas* blas, const KernelArgs& g) {
    const OnDevice device(blas->stream->device);
    const bool triangle = makes_triangle(g.op);
    if (g.alpha == Scalar{} || (triangle && g.k == 0)) {
        const bool in_place = g.op == Opcode::trsm || (g.op == Opcode::trmm && g.b == nullptr);
        const Scalar keep = in_place ? Scalar{} : g.beta;
        if (keep == Scalar{1, 0}) return 0;
        if (triangle) return code_of(scale_triangle(blas->stream->stream, g));
        return code_of(
            combine(blas->stream->stream, {g.type, g.m, g.n, keep, {}, nullptr, 1, g.c, g.ldc}));
    }
    if (g.op == Opcode::gemmt) return square_gemmt(blas, g);
    if (g.op == Opcode::trmm) return square_trmm(blas, g);
    if (g.op == Opcode::trsm) return square_trsm(blas, g);
    if (is_rank_2(g.op)) return square_rank_2(blas, g);
    if (triangle) return square_rank_1(blas, g);
    return cublas_level3(blas, g);
}

}  // namespace gemmill
