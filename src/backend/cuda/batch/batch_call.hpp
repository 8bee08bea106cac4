// SPDX-License-Identifier: Apache-2.0
// Who makes one call of a batch of one shape. What was chosen is remembered by each thread.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/batch/batch_table.hpp"

namespace gemmill {

struct KnownShape;
/// By the table what was measured as it is, all else by what each kernel is estimated to take on
/// this device. Those that are estimated to be about as fast are timed in the first calls of a
/// shape, if they may be, and the fastest makes the others.
class BatchCall {
  public:
    BatchCall(int device, cudaStream_t stream, const Batch& batch, bool cublas_may, bool may_try);
    ~BatchCall();
    BatchCall(const BatchCall&) = delete;
    BatchCall& operator=(const BatchCall&) = delete;
    const BatchChoice& choice() const { return choice_; }

  private:
    cudaStream_t stream_;
    BatchChoice choice_;
    KnownShape* shape_ = nullptr;  // whose trials this call is one of
};

}  // namespace gemmill
