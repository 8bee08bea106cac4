// SPDX-License-Identifier: Apache-2.0
// Which kernel makes products of which shape: a table for each architecture, which is data.
#pragma once

#include <string_view>

#include "kernel/cuda/batch_kernels.hpp"

namespace gemmill {

/// By name; nullptr when there is none of that name.
const batch::Kernel* batch_kernel_named(Type type, std::string_view name);

/// The kernel for a batch of one shape, by the first row that it fits into; nullptr is cuBLAS,
/// which is only taken when it may be.
const batch::Kernel* batch_kernel(const Batch& batch, bool cublas_may);

}  // namespace gemmill
