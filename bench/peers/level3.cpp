// SPDX-License-Identifier: Apache-2.0
#include "peers/level3.hpp"

#include <complex>
#include <type_traits>

namespace gemmill {
namespace {

cublasOperation_t operation(Op op) {
    if (op == Op::ConjTrans) return CUBLAS_OP_C;
    return op == Op::NoTrans ? CUBLAS_OP_N : CUBLAS_OP_T;
}

template <class T>
T value(Scalar x) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(x.re);
    else
        return {static_cast<decltype(T::x)>(x.re), static_cast<decltype(T::y)>(x.im)};
}

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
    using Value = double;
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
    using Value = float;
    static constexpr auto gemm = cublasSgemm_64;
    static constexpr auto syrkx = cublasSsyrkx_64;
    static constexpr auto syrk = cublasSsyrk_64;
    static constexpr auto syr2k = cublasSsyr2k_64;
    static constexpr auto symm = cublasSsymm_64;
    static constexpr auto trmm = cublasStrmm_64;
    static constexpr auto trsm = cublasStrsm_64;
};
template <>
struct InCore<std::complex<float>> {
    using Size = std::int64_t;
    using Value = cuComplex;
    static constexpr auto gemm = cublasCgemm_64;
    static constexpr auto syrkx = cublasCsyrkx_64;
    static constexpr auto syrk = cublasCsyrk_64;
    static constexpr auto syr2k = cublasCsyr2k_64;
    static constexpr auto symm = cublasCsymm_64;
    static constexpr auto trmm = cublasCtrmm_64;
    static constexpr auto trsm = cublasCtrsm_64;
    static constexpr auto herk = cublasCherk_64;
    static constexpr auto her2k = cublasCher2k_64;
    static constexpr auto hemm = cublasChemm_64;
};
template <>
struct InCore<std::complex<double>> {
    using Size = std::int64_t;
    using Value = cuDoubleComplex;
    static constexpr auto gemm = cublasZgemm_64;
    static constexpr auto syrkx = cublasZsyrkx_64;
    static constexpr auto syrk = cublasZsyrk_64;
    static constexpr auto syr2k = cublasZsyr2k_64;
    static constexpr auto symm = cublasZsymm_64;
    static constexpr auto trmm = cublasZtrmm_64;
    static constexpr auto trsm = cublasZtrsm_64;
    static constexpr auto herk = cublasZherk_64;
    static constexpr auto her2k = cublasZher2k_64;
    static constexpr auto hemm = cublasZhemm_64;
};
template <class T>
struct Xt;
template <>
struct Xt<double> {
    using Size = std::size_t;
    using Value = double;
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
    using Value = float;
    static constexpr auto gemm = cublasXtSgemm;
    static constexpr auto syrkx = cublasXtSsyrkx;
    static constexpr auto syrk = cublasXtSsyrk;
    static constexpr auto syr2k = cublasXtSsyr2k;
    static constexpr auto symm = cublasXtSsymm;
    static constexpr auto trmm = cublasXtStrmm;
    static constexpr auto trsm = cublasXtStrsm;
};
template <>
struct Xt<std::complex<float>> {
    using Size = std::size_t;
    using Value = cuComplex;
    static constexpr auto gemm = cublasXtCgemm;
    static constexpr auto syrkx = cublasXtCsyrkx;
    static constexpr auto syrk = cublasXtCsyrk;
    static constexpr auto syr2k = cublasXtCsyr2k;
    static constexpr auto symm = cublasXtCsymm;
    static constexpr auto trmm = cublasXtCtrmm;
    static constexpr auto trsm = cublasXtCtrsm;
    static constexpr auto herk = cublasXtCherk;
    static constexpr auto her2k = cublasXtCher2k;
    static constexpr auto hemm = cublasXtChemm;
};
template <>
struct Xt<std::complex<double>> {
    using Size = std::size_t;
    using Value = cuDoubleComplex;
    static constexpr auto gemm = cublasXtZgemm;
    static constexpr auto syrkx = cublasXtZsyrkx;
    static constexpr auto syrk = cublasXtZsyrk;
    static constexpr auto syr2k = cublasXtZsyr2k;
    static constexpr auto symm = cublasXtZsymm;
    static constexpr auto trmm = cublasXtZtrmm;
    static constexpr auto trsm = cublasXtZtrsm;
    static constexpr auto herk = cublasXtZherk;
    static constexpr auto her2k = cublasXtZher2k;
    static constexpr auto hemm = cublasXtZhemm;
};

/// Whether the factors of a gemmt stand as those of syrkx.
bool is_syrkx(const Level3Args& g) {
    const auto stand = [&](Op a, Op b) { return g.op_a == a && g.op_b == b; };
    return g.routine == Routine::gemmt &&
           (stand(Op::NoTrans, Op::Trans) || stand(Op::Trans, Op::NoTrans));
}

template <class Calls>
struct Sizes {
    explicit Sizes(const Level3Args& g)
        : m(of(g.m)), n(of(g.n)), k(of(g.k)), lda(of(g.lda)), ldb(of(g.ldb)), ldc(of(g.ldc)) {}
    static auto of(index_t x) { return static_cast<typename Calls::Size>(x); }
    typename Calls::Size m, n, k, lda, ldb, ldc;
};

template <class Calls, class Handle>
cublasStatus_t typed(Handle handle, const Level3Args& g) {
    using T = typename Calls::Value;
    const auto [side, uplo, op, diag] = flags_of(g);
    const T alpha = value<T>(g.alpha), beta = value<T>(g.beta);
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const auto [m, n, k, lda, ldb, ldc] = Sizes<Calls>(g);
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

/// Those that complex types alone have.
template <class Calls, class Handle>
cublasStatus_t hermitian(Handle handle, const Level3Args& g) {
    using T = typename Calls::Value;
    const auto [side, uplo, op, diag] = flags_of(g);
    const T alpha = value<T>(g.alpha), beta = value<T>(g.beta);
    const auto real_alpha = alpha.x, real_beta = beta.x;
    const auto* a = static_cast<const T*>(g.a);
    const auto* b = static_cast<const T*>(g.b);
    auto* c = static_cast<T*>(g.c);
    const auto [m, n, k, lda, ldb, ldc] = Sizes<Calls>(g);
    switch (g.routine) {
        case Routine::herk:
            return Calls::herk(handle, uplo, op, n, k, &real_alpha, a, lda, &real_beta, c, ldc);
        case Routine::her2k:
            return Calls::her2k(handle, uplo, op, n, k, &alpha, a, lda, b, ldb, &real_beta, c, ldc);
        case Routine::hemm:
            return Calls::hemm(handle, side, uplo, m, n, &alpha, a, lda, b, ldb, &beta, c, ldc);
        default:
            return typed<Calls>(handle, g);
    }
}

/// A product of 16-bit elements with sums in single precision.
cublasStatus_t short_gemm(cublasHandle_t handle, const Level3Args& g) {
    const auto type = g.type == Type::h ? CUDA_R_16F : CUDA_R_16BF;
    const auto alpha = value<float>(g.alpha), beta = value<float>(g.beta);
    return cublasGemmEx_64(handle, operation(g.op_a), operation(g.op_b), g.m, g.n, g.k, &alpha, g.a,
                           type, g.lda, g.b, type, g.ldb, &beta, g.c, type, g.ldc,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

template <template <class> class Calls, class Handle>
cublasStatus_t call(Handle handle, const Level3Args& g) {
    switch (g.type) {
        case Type::s:
            return typed<Calls<float>>(handle, g);
        case Type::d:
            return typed<Calls<double>>(handle, g);
        case Type::c:
            return hermitian<Calls<std::complex<float>>>(handle, g);
        case Type::z:
            return hermitian<Calls<std::complex<double>>>(handle, g);
        default:
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

}  // namespace

cublasStatus_t peer_level3(cublasHandle_t handle, const Level3Args& args) {
    if (is_short(args.type) && args.routine == Routine::gemm) return short_gemm(handle, args);
    return call<InCore>(handle, args);
}
cublasStatus_t peer_level3(cublasXtHandle_t handle, const Level3Args& args) {
    return call<Xt>(handle, args);
}

}  // namespace gemmill
