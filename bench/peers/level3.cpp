// SPDX-License-Identifier: Apache-2.0
#include "peers/level3.hpp"

namespace gemmill {
namespace {

struct Flags {
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasOperation_t op;
    cublasDiagType_t diag;
};

Flags flags_of(const Level3Args& g) {
    return {g.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
            g.uplo == Uplo::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
            g.op_a == Op::NoTrans ? CUBLAS_OP_N : CUBLAS_OP_T,
            g.diag == Diag::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT};
}

/// The calls of both libraries differ in their handles only.
struct InCore {
    static constexpr auto syrk = cublasDsyrk_64;
    static constexpr auto syr2k = cublasDsyr2k_64;
    static constexpr auto symm = cublasDsymm_64;
    static constexpr auto trmm = cublasDtrmm_64;
    static constexpr auto trsm = cublasDtrsm_64;
};
struct Xt {
    static constexpr auto syrk = cublasXtDsyrk;
    static constexpr auto syr2k = cublasXtDsyr2k;
    static constexpr auto symm = cublasXtDsymm;
    static constexpr auto trmm = cublasXtDtrmm;
    static constexpr auto trsm = cublasXtDtrsm;
};

template <class Calls, class Handle, class Size>
cublasStatus_t call(Handle handle, const Level3Args& g) {
    if (g.type != Type::d) return CUBLAS_STATUS_NOT_SUPPORTED;
    const auto [side, uplo, op, diag] = flags_of(g);
    const double alpha = g.alpha.re, beta = g.beta.re;
    const auto* a = static_cast<const double*>(g.a);
    const auto* b = static_cast<const double*>(g.b);
    auto* c = static_cast<double*>(g.c);
    const auto size = [](index_t x) { return static_cast<Size>(x); };
    const Size m = size(g.m), n = size(g.n), k = size(g.k), lda = size(g.lda), ldb = size(g.ldb),
               ldc = size(g.ldc);
    switch (g.routine) {
        case Routine::syrk:
            return Calls::syrk(handle, uplo, op, n, k, &alpha, a, lda, &beta, c, ldc);
        case Routine::syr2k:
            return Calls::syr2k(handle, uplo, op, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
        case Routine::symm:
            return Calls::symm(handle, side, uplo, m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
        case Routine::trmm:
            return Calls::trmm(handle, side, uplo, op, diag, m, n, &alpha, a, lda,
                               b != nullptr ? b : c, b != nullptr ? ldb : ldc, c, ldc);
        case Routine::trsm:
            return Calls::trsm(handle, side, uplo, op, diag, m, n, &alpha, a, lda, c, ldc);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

}  // namespace

cublasStatus_t peer_level3(cublasHandle_t handle, const Level3Args& args) {
    return call<InCore, cublasHandle_t, std::int64_t>(handle, args);
}
cublasStatus_t peer_level3(cublasXtHandle_t handle, const Level3Args& args) {
    return call<Xt, cublasXtHandle_t, std::size_t>(handle, args);
}

}  // namespace gemmill
