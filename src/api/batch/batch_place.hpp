// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a batch lie, and so who makes its products.
#pragma once

#include <vector>

#include "api/state.hpp"
#include "gemmill/batch.hpp"

namespace gemmill {

/// Products for one GPU; none named: all of the batch.
struct OnGpu {
    int gpu = -1;  ///< -1: the calling thread's own
    std::vector<index_t> products;
};

struct BatchPlace {
    enum class Kind {
        cpu,      ///< threads of ours
        devices,  ///< matrices of the host, on the devices of the context
        gpus,     ///< matrices of GPUs, each where its C is
    };
    Kind kind = Kind::cpu;
    std::vector<OnGpu> gpus;
};

/// Throws Error(bad_argument) when A, B and C lie where nobody reaches them all, Error(no_device)
/// when a stream is named and there is no GPU.
BatchPlace place_of(Context::State& state, const Batch& batch, const BatchOptions& options);

}  // namespace gemmill
