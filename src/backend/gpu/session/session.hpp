// SPDX-License-Identifier: Apache-2.0
// One run of one plan on GPUs.
#pragma once

#include <map>
#include <mutex>

#include "backend/arena.hpp"
#include "backend/gpu/batch.hpp"
#include "backend/gpu/gpu.hpp"
#include "backend/gpu/loader.hpp"
#include "backend/gpu/session/desks.hpp"
#include "backend/gpu/staging/pins.hpp"

namespace gemmill {

struct GpuBackend::State {
    explicit State(GpuSetup setup);

    GpuSetup setup;
    Blocks blocks;
    EventPool timed, plain, sleeping;  // events outlive the streams that they were recorded in
    Staging staging;
    StreamPool streams;
    Lanes lanes;  // streams go before the slots that they may still read when a device was lost
    Desks desks;
    Pins pins;
    LostGpus lost;
    std::mutex batch_turn;
    std::map<DeviceId, std::unique_ptr<BatchLane>> batch_lanes;  // made when first needed
    Loader loader;

    const GpuDriver& driver() const { return *setup.driver; }
    int ordinal(MemoryId memory) const { return setup.ordinals[static_cast<std::size_t>(memory)]; }
    /// The driver's number of a device's GPU.
    int gpu_of(DeviceId device) const {
        return ordinal(setup.machine.devices[static_cast<std::size_t>(device)].memory);
    }
    /// Bytes of a GPU, or pinned bytes of the host.
    std::shared_ptr<std::byte> allocate(MemoryId memory, std::size_t bytes) const;
};

/// `run` is set to what the session has.
std::unique_ptr<Session> open_gpu_session(GpuBackend::State& state, const Plan& plan,
                                          const Binding& binding, GpuRun& run);

}  // namespace gemmill
