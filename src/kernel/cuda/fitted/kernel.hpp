// SPDX-License-Identifier: Apache-2.0
// A kernel that the driver has compiled for one shape.
#pragma once

#include <memory>

#include "gemmill/batch.hpp"
#include "kernel/cuda/launch/slot.hpp"

namespace gemmill::batch {

class FittedKernel {
  public:
    /// fits_of(batch.type)[i] for batches of this shape on the current device. Takes about a tenth
    /// of a second, or much less where the driver remembers it. Null: it cannot be had.
    static std::unique_ptr<FittedKernel> make(const Batch& batch, int i);
    ~FittedKernel();
    FittedKernel(const FittedKernel&) = delete;
    FittedKernel& operator=(const FittedKernel&) = delete;

    /// A batch of that shape, wherever its matrices lie.
    cudaError_t run(const Batch& batch, Slot slot) const;

  private:
    FittedKernel() = default;

    cudaLibrary_t library_ = nullptr;
    const void* function_ = nullptr;
    int threads_ = 0, products_ = 1, parts_ = 1, bytes_ = 0;
    index_t blocks_ = 1;  // that the device runs at once
};

}  // namespace gemmill::batch
