// SPDX-License-Identifier: Apache-2.0
// A Level3Call through the C++ and the C interface.
#pragma once

#include "gemmill/gemmill.h"
#include "gemmill/gemmill.hpp"
#include "support/level3_call.hpp"

namespace gemmill::test {

template <class T>
void call_cpp_as(Context& context, Layout layout, const Level3Args& x) {
    const T alpha = from_scalar<T>(x.alpha), beta = from_scalar<T>(x.beta);
    const auto* a = static_cast<const T*>(x.a);
    const auto* b = static_cast<const T*>(x.b);
    auto* c = static_cast<T*>(x.c);
    switch (x.routine) {
        case Routine::gemm:
            return gemm<T>(context, layout, x.op_a, x.op_b, x.m, x.n, x.k, alpha, a, x.lda, b,
                           x.ldb, beta, c, x.ldc);
        case Routine::gemmt:
            return gemmt<T>(context, layout, x.uplo, x.op_a, x.op_b, x.n, x.k, alpha, a, x.lda, b,
                            x.ldb, beta, c, x.ldc);
        case Routine::symm:
            return symm<T>(context, layout, x.side, x.uplo, x.m, x.n, alpha, a, x.lda, b, x.ldb,
                           beta, c, x.ldc);
        case Routine::syrk:
            return syrk<T>(context, layout, x.uplo, x.op_a, x.n, x.k, alpha, a, x.lda, beta, c,
                           x.ldc);
        case Routine::syr2k:
            return syr2k<T>(context, layout, x.uplo, x.op_a, x.n, x.k, alpha, a, x.lda, b, x.ldb,
                            beta, c, x.ldc);
        case Routine::trmm:
            return trmm<T>(context, layout, x.side, x.uplo, x.op_a, x.diag, x.m, x.n, alpha, a,
                           x.lda, c, x.ldc);
        case Routine::trsm:
            return trsm<T>(context, layout, x.side, x.uplo, x.op_a, x.diag, x.m, x.n, alpha, a,
                           x.lda, c, x.ldc);
        default:
            break;
    }
    if constexpr (is_complex(type_of<T>)) {
        if (x.routine == Routine::hemm)
            hemm<T>(context, layout, x.side, x.uplo, x.m, x.n, alpha, a, x.lda, b, x.ldb, beta, c,
                    x.ldc);
        else if (x.routine == Routine::herk)
            herk<T>(context, layout, x.uplo, x.op_a, x.n, x.k, alpha.real(), a, x.lda, beta.real(),
                    c, x.ldc);
        else
            her2k<T>(context, layout, x.uplo, x.op_a, x.n, x.k, alpha, a, x.lda, b, x.ldb,
                     beta.real(), c, x.ldc);
    }
}

/// Calls f.template operator()<T>() with one of the four types that all of level 3 has.
template <class F>
decltype(auto) with_level3_type(Type type, F&& f) {
    switch (type) {
        case Type::s:
            return f.template operator()<float>();
        case Type::c:
            return f.template operator()<std::complex<float>>();
        case Type::z:
            return f.template operator()<std::complex<double>>();
        default:
            return f.template operator()<double>();
    }
}

inline void call_cpp(Context& context, Layout layout, const Level3Args& x) {
    with_level3_type(x.type, [&]<class T>() { call_cpp_as<T>(context, layout, x); });
}

/// The functions of the C interface by type.
#define GEMMILL_TEST_FOUR(name)                                    \
    [](auto type, auto... arguments) {                             \
        using E = decltype(type);                                  \
        if constexpr (std::is_same_v<E, float>)                    \
            return gemmill_s##name(arguments...);                  \
        else if constexpr (std::is_same_v<E, double>)              \
            return gemmill_d##name(arguments...);                  \
        else if constexpr (std::is_same_v<E, std::complex<float>>) \
            return gemmill_c##name(arguments...);                  \
        else                                                       \
            return gemmill_z##name(arguments...);                  \
    }
#define GEMMILL_TEST_TWO(name)                                             \
    [](auto type, auto... arguments) {                                     \
        if constexpr (std::is_same_v<decltype(type), std::complex<float>>) \
            return gemmill_c##name(arguments...);                          \
        else                                                               \
            return gemmill_z##name(arguments...);                          \
    }

template <class T>
gemmill_code call_c_as(gemmill_context* context, Layout layout_flag, const Level3Args& x) {
    const T alpha_value = from_scalar<T>(x.alpha), beta_value = from_scalar<T>(x.beta);
    const auto factor = [](const T& value) {
        if constexpr (is_complex(type_of<T>))
            return static_cast<const void*>(&value);
        else
            return value;
    };
    const auto alpha = factor(alpha_value), beta = factor(beta_value);
    const auto* a = static_cast<const T*>(x.a);
    const auto* b = static_cast<const T*>(x.b);
    auto* c = static_cast<T*>(x.c);
    const char layout = static_cast<char>(layout_flag), side = static_cast<char>(x.side);
    const char uplo = static_cast<char>(x.uplo), diag = static_cast<char>(x.diag);
    // Letters of either case will do.
    const char op_a = static_cast<char>(static_cast<char>(x.op_a) + ('a' - 'A'));
    const char op_b = static_cast<char>(x.op_b);
    switch (x.routine) {
        case Routine::gemm:
            return GEMMILL_TEST_FOUR(gemm)(T(), context, layout, op_a, op_b, x.m, x.n, x.k, alpha,
                                           a, x.lda, b, x.ldb, beta, c, x.ldc);
        case Routine::gemmt:
            return GEMMILL_TEST_FOUR(gemmt)(T(), context, layout, uplo, op_a, op_b, x.n, x.k, alpha,
                                            a, x.lda, b, x.ldb, beta, c, x.ldc);
        case Routine::symm:
            return GEMMILL_TEST_FOUR(symm)(T(), context, layout, side, uplo, x.m, x.n, alpha, a,
                                           x.lda, b, x.ldb, beta, c, x.ldc);
        case Routine::syrk:
            return GEMMILL_TEST_FOUR(syrk)(T(), context, layout, uplo, op_a, x.n, x.k, alpha, a,
                                           x.lda, beta, c, x.ldc);
        case Routine::syr2k:
            return GEMMILL_TEST_FOUR(syr2k)(T(), context, layout, uplo, op_a, x.n, x.k, alpha, a,
                                            x.lda, b, x.ldb, beta, c, x.ldc);
        case Routine::trmm:
            return GEMMILL_TEST_FOUR(trmm)(T(), context, layout, side, uplo, op_a, diag, x.m, x.n,
                                           alpha, a, x.lda, c, x.ldc);
        case Routine::trsm:
            return GEMMILL_TEST_FOUR(trsm)(T(), context, layout, side, uplo, op_a, diag, x.m, x.n,
                                           alpha, a, x.lda, c, x.ldc);
        default:
            break;
    }
    if constexpr (is_complex(type_of<T>)) {
        if (x.routine == Routine::hemm)
            return GEMMILL_TEST_TWO(hemm)(T(), context, layout, side, uplo, x.m, x.n, alpha, a,
                                          x.lda, b, x.ldb, beta, c, x.ldc);
        if (x.routine == Routine::herk)
            return GEMMILL_TEST_TWO(herk)(T(), context, layout, uplo, op_a, x.n, x.k,
                                          alpha_value.real(), a, x.lda, beta_value.real(), c,
                                          x.ldc);
        return GEMMILL_TEST_TWO(her2k)(T(), context, layout, uplo, op_a, x.n, x.k, alpha, a, x.lda,
                                       b, x.ldb, beta_value.real(), c, x.ldc);
    }
    return GEMMILL_INTERNAL;
}
#undef GEMMILL_TEST_FOUR
#undef GEMMILL_TEST_TWO

inline gemmill_code call_c(gemmill_context* context, Layout layout, const Level3Args& x) {
    return with_level3_type(x.type, [&]<class T>() { return call_c_as<T>(context, layout, x); });
}

}  // namespace gemmill::test
