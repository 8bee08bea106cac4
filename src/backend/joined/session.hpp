// SPDX-License-Identifier: Apache-2.0
// One run of one plan on GPUs and the CPU together.
#pragma once

#include <functional>
#include <memory>

#include "backend/gpu/gpu.hpp"
#include "exec/backend.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// How the CPU computes: each kernel as a piece of work that `run` does, with as many cores as the
/// CPU has beside GPUs.
struct CpuKernels {
    Kernels kernels;
    std::function<void(const std::function<void()>& work)> run = [](const auto& work) { work(); };
};

/// The CPU is the device behind the last one of the GPUs' machine.
std::unique_ptr<Session> open_joined_session(GpuBackend& gpus, const CpuKernels& cpu,
                                             const Plan& plan, const Binding& binding);

}  // namespace gemmill
