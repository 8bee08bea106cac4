// SPDX-License-Identifier: Apache-2.0
// Routines of level 3 by cuBLAS and cuBLASXt, types s, d, c and z. trmm takes its old values from b
// where there is one. Neither library has gemmt: syrkx stands for it where its flags allow that,
// else gemm, which makes the other triangle as well.
#pragma once

#include <cublasXt.h>
#include <cublas_v2.h>

#include <type_traits>

#include "kernel/kernel.hpp"

namespace gemmill {

inline cublasOperation_t operation(Op op) {
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

cublasStatus_t peer_call(cublasHandle_t handle, const GemmArgs& args);
cublasStatus_t peer_call(cublasXtHandle_t handle, const GemmArgs& args);
/// cuBLAS also has gemm of types h and b, with sums in single precision.
cublasStatus_t peer_call(cublasHandle_t handle, const Level3Args& args);
cublasStatus_t peer_call(cublasXtHandle_t handle, const Level3Args& args);

}  // namespace gemmill
