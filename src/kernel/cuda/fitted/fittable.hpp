// SPDX-License-Identifier: Apache-2.0
// A kernel that can be fitted to shapes, as the host knows it.
#pragma once

#include <string_view>

#include "kernel/cuda/one_shape/stage/plan.hpp"

namespace gemmill::batch {

struct Fittable {
    std::string_view name;  ///< of the kernel for any shape
    int threads;
    /// Of a batch, for so many multiprocessors; no products: it cannot be made so.
    StagePlan (*plan)(const Batch& batch, int processors);
};

}  // namespace gemmill::batch
