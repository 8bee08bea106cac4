// SPDX-License-Identifier: Apache-2.0
// Which kernel makes products of which shape: a table for each architecture, which is data.
#pragma once

#include <optional>
#include <string_view>

#include "kernel/cuda/batch_kernels.hpp"

namespace gemmill {

/// By name; nullptr when there is none of that name.
const batch::Kernel* batch_kernel_named(Type type, std::string_view name);

/// Whether a kernel can make the batch.
bool can_make(const batch::Kernel& kernel, const Batch& batch);

/// A kernel, or cuBLAS where that is null: by its call for the batch, or by pointers.
struct BatchChoice {
    const batch::Kernel* kernel = nullptr;
    bool by_pointers = false;
};
/// By the first row that the batch fits into; none when there is no such row. cuBLAS is only taken
/// when it may be.
std::optional<BatchChoice> choice_by_table(const Batch& batch, bool cublas_may);

struct KnownShape;
/// Who makes one call of a batch of one shape: by the table what was measured as it is, all else by
/// what each kernel is estimated to take on this device. Those that are estimated to be about as
/// fast are timed in the first calls of a shape, if they may be, and the fastest makes the others.
/// What was chosen is remembered by each thread.
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
    KnownShape* timed_ = nullptr;  // that gets the time of this call
};

}  // namespace gemmill
