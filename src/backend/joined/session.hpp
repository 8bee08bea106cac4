// SPDX-License-Identifier: Apache-2.0
// One run of one plan on GPUs and the CPU together.
#pragma once

#include <memory>

#include "backend/gpu/gpu.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// The CPU is the device behind the last one of the GPUs' machine.
std::unique_ptr<Session> open_joined_session(GpuBackend& gpus, const Kernels& kernels,
                                             const Plan& plan, const Binding& binding);

}  // namespace gemmill
