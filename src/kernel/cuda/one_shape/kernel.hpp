// SPDX-License-Identifier: Apache-2.0
// A kernel for batches of one shape, as the host calls it.
#pragma once

#include <string_view>

#include "kernel/batch_work.hpp"
#include "kernel/cuda/launch/slot.hpp"

namespace gemmill::batch {

/// For products of one shape, and one alpha and beta.
struct Kernel {
    std::string_view name;
    int edge;  ///< m and n are at most this; 0: any
    int k;     ///< k is at most this; 0: any
    cudaError_t (*run)(const Batch& batch, Slot slot);
    /// What it would have to do, by so many multiprocessors.
    BatchWork (*work)(const Batch& batch, int processors);
    /// Whether it can make a batch of sizes within its limits; null: any.
    bool (*takes)(const Batch& batch) = nullptr;
};

}  // namespace gemmill::batch
