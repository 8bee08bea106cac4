// SPDX-License-Identifier: Apache-2.0
// Routines of level 3 by cuBLAS and cuBLASXt, types s and d. trmm takes its old values from b where
// there is one. Neither library has gemmt: syrkx stands for it where its flags allow that, else
// gemm, which makes the other triangle as well.
#pragma once

#include <cublasXt.h>
#include <cublas_v2.h>

#include "kernel/kernel.hpp"

namespace gemmill {

cublasStatus_t peer_level3(cublasHandle_t handle, const Level3Args& args);
cublasStatus_t peer_level3(cublasXtHandle_t handle, const Level3Args& args);

}  // namespace gemmill
