// SPDX-License-Identifier: Apache-2.0
// The gpu backend on GPUs that are the host.
#pragma once

#include <fmt/format.h>

#include <memory>

#include "backend/gpu/gpu.hpp"
#include "support/fake_gpu.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {

inline Machine fake_machine(int devices) {
    return synthetic_machine(fmt::format(
        "gpu:{}(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=1T,b=1T) nvlink:100GB/s pcie:10GB/s", devices));
}

/// Slots of a few elements, so that even small tiles are cut, in columns and within them.
inline GpuSetup fake_setup(int devices, StagingSetup staging = {2, 3, 256}) {
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = fake_machine(devices);
    for (const Memory& memory : setup.machine.memories)
        setup.ordinals.push_back(
            memory.kind == MemoryKind::host ? -1 : static_cast<int>(setup.ordinals.size()) % 2);
    setup.staging = staging;
    return setup;
}

inline std::unique_ptr<GpuBackend> make_fake(int devices) {
    FakeGpus::instance().reset();
    return std::make_unique<GpuBackend>(fake_setup(devices));
}

inline Problem square(index_t n) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

inline Plan plan_for(const Backend& backend, index_t n, index_t tile = 0) {
    Options options;
    options.tile = tile;
    return make_plan(square(n), backend.machine(), options);
}

}  // namespace gemmill::test
