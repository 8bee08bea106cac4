// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "gemmill/types.hpp"

namespace gemmill {

/// C = keep C + factor X, m x n; C is not read when keep is 0, X not when factor is 0.
struct CombineArgs {
    Type type = Type::d;
    index_t m = 0, n = 0;
    Scalar keep, factor;
    const void* x = nullptr;
    index_t ldx = 1;
    void* c = nullptr;
    index_t ldc = 1;
};
cudaError_t combine(cudaStream_t stream, const CombineArgs& args);

}  // namespace gemmill
