// SPDX-License-Identifier: Apache-2.0
#include "peers/level3.hpp"

namespace gemmill {
namespace {

cublasOperation_t operation(Op op) { return op == Op::NoTrans ? CUBLAS_OP_N : CUBLAS_OP_T; }

struct Flags {
    cublasSideMode_t side;
    cublasFillMode_t uplo;
    cublasOperation_t op;
    cublasDiagType_t diag;
};

Flags flags_of(const Level3Args& g) {
    return {g.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
            g.uplo == Uplo::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
            operation(g.op_a), g.diag == Diag::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT};
}

/// The calls of both libraries differ in their handles and their type of sizes only.
template <class T>
struct InCore;
template <>
struct InCore<double> {
    using Size = std::int64_t;
    static constexpr auto gemm = cublasDgemm_64;
    static constexpr auto syrkx = cublasDsyrkx_64;
    static constexpr auto syrk = cublasDsyrk_64;
    static constexpr auto syr2k = cublasDsyr2k_64;
    static constexpr auto symm = cublasDsymm_64;
    static constexpr auto trmm = cublasDtrmm_64;
    static constexpr auto trsm = cublasDtrsm_64;
};
template <>
struct InCore<float> {
    using Size = std::int64_t;
    static constexpr auto gemm = cublasSgemm_64;
    static constexpr auto syrkx = cublasSsyrkx_64;
    static constexpr auto syrk = cublasSsyrk_64;
    static constexpr auto syr2k = cublasSsyr2k_64;
    static constexpr auto symm = cublasSsymm_64;
    static constexpr auto trmm = cublasStrmm_64;
    static constexpr auto trsm = cublasStrsm_64;
};
template <class T>
struct Xt;
template <>
struct Xt<double> {
    using Size = std::size_t;
    static constexpr auto gemm = cublasXtDgemm;
    static constexpr auto syrkx = cublasXtDsyrkx;
    static constexpr auto syrk = cublasXtDsyrk;
    static constexpr auto syr2k = cublasXtDsyr2k;
    static constexpr auto symm = cublasXtDsymm;
    static constexpr auto trmm = cublasXtDtrmm;
    static constexpr auto trsm = cublasXtDtrsm;
};
template <>
struct Xt<float> {
    using Size = std::size_t;
    static constexpr auto gemm = cublasXtSgemm;
    static constexpr auto syrkx = cublasXtSsyrkx;
    static constexpr auto syrk = cublasXtSsyrk;
    static constexpr auto syr2k = cublasXtSsyr2k;
    static constexpr auto symm = cublasXtSsymm;
    static constexpr auto trmm = cublasXtStrmm;
    static constexpr auto trsm = cublasXtStrsm;
};

/// Whether the second factor is transposed as that of syrkx is.
bool is_syrkx(const Level3Args& g) {
    return g.routine == Routine::gemmt && (g.op_a == Op::NoTrans) != (g.op_b == Op::NoTrans);
}

template <class T, class Calls, class Handle>
cublasStatus_t typed(Handle handle, const Level3Args& g) {
    const auto [side, uplo, op, diag] = flags_of(g);
    const T alpha = static_cast<T>(g.alpha.re), beta = static_cast<T>(g.beta.re);
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const auto size = [](index_t x) { return static_cast<typename Calls::Size>(x); };
    const auto m = size(g.m), n = size(g.n), k = size(g.k), lda = size(g.lda), ldb = size(g.ldb),
               ldc = size(g.ldc);
    if (is_syrkx(g))
        return Calls::syrkx(handle, uplo, op, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
    switch (g.routine) {
        case Routine::gemm:
        case Routine::gemmt:
            return Calls::gemm(handle, op, operation(g.op_b), m, n, k, &alpha, a, lda, b, ldb,
                               &beta, c, ldc);
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

template <template <class> class Calls, class Handle>
cublasStatus_t call(Handle handle, const Level3Args& g) {
    if (g.type == Type::d) return typed<double, Calls<double>>(handle, g);
    if (g.type == Type::s) return typed<float, Calls<float>>(handle, g);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace

cublasStatus_t peer_level3(cublasHandle_t handle, const Level3Args& args) {
    return call<InCore>(handle, args);
}
cublasStatus_t peer_level3(cublasXtHandle_t handle, const Level3Args& args) {
    return call<Xt>(handle, args);
}

}  // namespace gemmill
