// SPDX-License-Identifier: Apache-2.0
// Who makes one call of a batch of one shape. What was chosen is remembered by each thread.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "backend/cuda/batch/batch_table.hpp"
#include "kernel/cuda/pointers/guess.hpp"

namespace gemmill {

struct KnownShape;
class KnownPointers;
class ShapeFits;
/// By the table what was measured as it is, all else by what each kernel is estimated to take on
/// this device. Those that are estimated to be about as fast are timed in the first calls of a
/// shape, if they may be, and the fastest makes the others. Then, for a batch by pointers that
/// takes long enough, so are kernels for the equal distances of an earlier call, and those that are
/// fitted to the shape.
class BatchCall {
  public:
    BatchCall(int device, cudaStream_t stream, const Batch& batch, bool cublas_may, bool may_try);
    ~BatchCall();
    BatchCall(const BatchCall&) = delete;
    BatchCall& operator=(const BatchCall&) = delete;
    /// Who makes the batch as it is.
    const BatchChoice& choice() const { return choice_; }
    /// Who makes it by a guess instead; null: nobody.
    const batch::PointerGuess* guess() const { return guess_ ? &*guess_ : nullptr; }

  private:
    void begin_guess(const KnownShape& shape, const Batch& batch);

    cudaStream_t stream_;
    BatchChoice choice_;
    std::optional<batch::PointerGuess> guess_;
    KnownShape* shape_ = nullptr;        // whose trials this call is one of
    KnownPointers* pointers_ = nullptr;  // and these
    ShapeFits* fits_ = nullptr;          // and these
};

}  // namespace gemmill
