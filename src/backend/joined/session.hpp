// SPDX-License-Identifier: Apache-2.0
// One run of one plan on GPUs and the CPU together.
#pragma once

#include <memory>

#include "backend/gpu/gpu.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// How the CPU computes.
struct CpuKernels {
    Kernels kernels;
    int threads = 0;  ///< of the host BLAS; 0: all
};

/// The CPU is the device behind the last one of the GPUs' machine.
std::unique_ptr<Session> open_joined_session(GpuBackend& gpus, const CpuKernels& cpu,
                                             const Plan& plan, const Binding& binding);

}  // namespace gemmill
