// SPDX-License-Identifier: Apache-2.0
// Which kernel makes products of which shape: a table for each architecture, which is data.
#pragma once

#include <optional>
#include <string_view>

#include "kernel/cuda/fitted/kernel.hpp"
#include "kernel/cuda/kernels.hpp"

namespace gemmill {

/// By name; nullptr when there is none of that name.
const batch::Kernel* batch_kernel_named(Type type, std::string_view name);

/// Whether a kernel can make the batch.
bool can_make(const batch::Kernel& kernel, const Batch& batch);

/// A kernel, one that is fitted to the shape, or cuBLAS where both are null: by its call for the
/// batch, or by pointers.
struct BatchChoice {
    const batch::Kernel* kernel = nullptr;
    bool by_pointers = false;
    const batch::FittedKernel* fitted = nullptr;
};
/// By the first row that the batch fits into; none when there is no such row. cuBLAS is only taken
/// when it may be.
std::optional<BatchChoice> choice_by_table(const Batch& batch, bool cublas_may);

}  // namespace gemmill
