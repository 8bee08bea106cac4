// SPDX-License-Identifier: Apache-2.0
#include "peers/level3.hpp"

#include <array>
#include <tuple>

namespace gemmill {
namespace {

// By routine: the functions of cuBLAS and those of cuBLASXt, each by type: c, z, and s, d if any.
constexpr auto gemm =
    std::make_tuple(cublasCgemm_64, cublasZgemm_64, cublasSgemm_64, cublasDgemm_64, cublasXtCgemm,
                    cublasXtZgemm, cublasXtSgemm, cublasXtDgemm);
constexpr auto syrkx =
    std::make_tuple(cublasCsyrkx_64, cublasZsyrkx_64, cublasSsyrkx_64, cublasDsyrkx_64,
                    cublasXtCsyrkx, cublasXtZsyrkx, cublasXtSsyrkx, cublasXtDsyrkx);
constexpr auto syrk =
    std::make_tuple(cublasCsyrk_64, cublasZsyrk_64, cublasSsyrk_64, cublasDsyrk_64, cublasXtCsyrk,
                    cublasXtZsyrk, cublasXtSsyrk, cublasXtDsyrk);
constexpr auto syr2k =
    std::make_tuple(cublasCsyr2k_64, cublasZsyr2k_64, cublasSsyr2k_64, cublasDsyr2k_64,
                    cublasXtCsyr2k, cublasXtZsyr2k, cublasXtSsyr2k, cublasXtDsyr2k);
constexpr auto symm =
    std::make_tuple(cublasCsymm_64, cublasZsymm_64, cublasSsymm_64, cublasDsymm_64, cublasXtCsymm,
                    cublasXtZsymm, cublasXtSsymm, cublasXtDsymm);
constexpr auto trmm =
    std::make_tuple(cublasCtrmm_64, cublasZtrmm_64, cublasStrmm_64, cublasDtrmm_64, cublasXtCtrmm,
                    cublasXtZtrmm, cublasXtStrmm, cublasXtDtrmm);
constexpr auto trsm =
    std::make_tuple(cublasCtrsm_64, cublasZtrsm_64, cublasStrsm_64, cublasDtrsm_64, cublasXtCtrsm,
                    cublasXtZtrsm, cublasXtStrsm, cublasXtDtrsm);
constexpr auto herk = std::make_tuple(cublasCherk_64, cublasZherk_64, cublasXtCherk, cublasXtZherk);
constexpr auto her2k =
    std::make_tuple(cublasCher2k_64, cublasZher2k_64, cublasXtCher2k, cublasXtZher2k);
constexpr auto hemm = std::make_tuple(cublasChemm_64, cublasZhemm_64, cublasXtChemm, cublasXtZhemm);

/// The one for these elements and this library.
template <class T, class Handle, class... Functions>
auto function_of(const std::tuple<Functions...>& all) {
    constexpr std::size_t first =
        std::is_same_v<Handle, cublasHandle_t> ? 0 : sizeof...(Functions) / 2;
    constexpr bool real = std::is_floating_point_v<T>;
    constexpr bool wide = sizeof(T) == (real ? 8 : 16);
    return std::get<first + 2 * real + wide>(all);
}

template <class T, class Handle, class Args>
cublasStatus_t product(Handle handle, const Args& g) {
    const T alpha = value<T>(g.alpha), beta = value<T>(g.beta);
    return function_of<T, Handle>(gemm)(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k,
                                        &alpha, static_cast<const T*>(g.a), g.lda,
                                        static_cast<const T*>(g.b), g.ldb, &beta,
                                        static_cast<T*>(g.c), g.ldc);
}

/// Whether the factors of a gemmt stand as those of syrkx.
bool is_syrkx(const Level3Args& g) {
    const auto stand = [&](Op a, Op b) { return g.op_a == a && g.op_b == b; };
    return g.routine == Routine::gemmt &&
           (stand(Op::NoTrans, Op::Trans) || stand(Op::Trans, Op::NoTrans));
}

template <class T, class Handle>
cublasStatus_t typed(Handle handle, const Level3Args& g) {
    const auto side = g.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    const auto uplo = g.uplo == Uplo::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const auto diag = g.diag == Diag::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const auto op = operation(g.op_a);
    const T alpha = value<T>(g.alpha), beta = value<T>(g.beta);
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const auto [m, n, k, lda, ldb, ldc] = std::array{g.m, g.n, g.k, g.lda, g.ldb, g.ldc};
    const auto call = [&](const auto& routine, auto... args) {
        return function_of<T, Handle>(routine)(handle, args...);
    };
    if (is_syrkx(g)) return call(syrkx, uplo, op, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
    switch (g.routine) {
        case Routine::gemm:
        case Routine::gemmt:
            return product<T>(handle, g);
        case Routine::syrk:
            return call(syrk, uplo, op, n, k, &alpha, a, lda, &beta, c, ldc);
        case Routine::syr2k:
            return call(syr2k, uplo, op, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
        case Routine::symm:
            return call(symm, side, uplo, m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
        case Routine::trmm:
            return call(trmm, side, uplo, op, diag, m, n, &alpha, a, lda, b != nullptr ? b : c,
                        b != nullptr ? ldb : ldc, c, ldc);
        case Routine::trsm:
            return call(trsm, side, uplo, op, diag, m, n, &alpha, a, lda, c, ldc);
        default:
            break;
    }
    if constexpr (!std::is_floating_point_v<T>) {
        if (g.routine == Routine::herk)
            return call(herk, uplo, op, n, k, &alpha.x, a, lda, &beta.x, c, ldc);
        if (g.routine == Routine::her2k)
            return call(her2k, uplo, op, n, k, &alpha, a, lda, b, ldb, &beta.x, c, ldc);
        if (g.routine == Routine::hemm)
            return call(hemm, side, uplo, m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
template <class T, class Handle>
cublasStatus_t typed(Handle handle, const GemmArgs& g) {
    return product<T>(handle, g);
}

/// A product of 16-bit elements with sums in single precision.
cublasStatus_t short_gemm(cublasHandle_t handle, const Level3Args& g) {
    const auto type = g.type == Type::h ? CUDA_R_16F : CUDA_R_16BF;
    const auto alpha = value<float>(g.alpha), beta = value<float>(g.beta);
    return cublasGemmEx_64(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k, &alpha, g.a,
                           type, g.lda, g.b, type, g.ldb, &beta, g.c, type, g.ldc,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

template <class Handle, class Args>
cublasStatus_t any_type(Handle handle, const Args& g) {
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

cublasStatus_t peer_call(cublasHandle_t handle, const GemmArgs& args) {
    return any_type(handle, args);
}
cublasStatus_t peer_call(cublasXtHandle_t handle, const GemmArgs& args) {
    return any_type(handle, args);
}
cublasStatus_t peer_call(cublasHandle_t handle, const Level3Args& args) {
    if (is_short(args.type) && args.routine == Routine::gemm) return short_gemm(handle, args);
    return any_type(handle, args);
}
cublasStatus_t peer_call(cublasXtHandle_t handle, const Level3Args& args) {
    return any_type(handle, args);
}

}  // namespace gemmill
