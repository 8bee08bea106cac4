// SPDX-License-Identifier: Apache-2.0
// Kernels that are fitted to shapes while a program runs: a shape that has taken long enough gets
// some, which a thread of its own has compiled, and they are tried against the fastest so far.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "backend/cuda/batch/batch_key.hpp"
#include "backend/cuda/batch/batch_timing.hpp"
#include "batch/choice/fitting.hpp"
#include "kernel/cuda/fitted/kernel.hpp"

namespace gemmill {

struct FittedKernels;

/// What a thread knows of the kernels that are fitted to a shape.
class ShapeFits {
  public:
    /// Before a call of the shape, which has taken so many seconds without them: the kernel that
    /// makes it; null: none of them.
    const batch::FittedKernel* begin(cudaStream_t stream, const BatchKey& key, const Batch& batch,
                                     double seconds);
    void end(cudaStream_t stream) { trials_.end(stream); }

  private:
    FittingPace pace_;
    std::shared_ptr<const FittedKernels> kernels_;
    TimedTrials trials_;  // 0: without them
};

/// Whether kernels are being compiled for a shape of any thread.
bool is_fitting();

}  // namespace gemmill
