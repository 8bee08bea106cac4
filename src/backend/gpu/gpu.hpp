// SPDX-License-Identifier: Apache-2.0
// GPUs: a step is work in a stream, a wait is an event. Devices of the machine are GPUs, or shares
// of one.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/gpu/staging/staging.hpp"
#include "backend/gpu_driver.hpp"
#include "batch/split.hpp"
#include "exec/backend.hpp"

namespace gemmill {

struct GpuSetup {
    const GpuDriver* driver = nullptr;
    Machine machine;
    std::vector<int> ordinals;  ///< the driver's number of each memory; -1: the host
    StagingSetup staging;
    std::size_t pin = 0;  ///< bytes of host matrices that may be pinned when they are used again
    index_t batch_slot = index_t{16} << 20;  ///< bytes of batches that travel at once, at least
};

/// What an open session has: where the plan's slabs begin, by MemoryId, and when its time began.
struct GpuRun {
    std::span<std::byte* const> slabs;
    std::chrono::steady_clock::time_point start;
};

/// Calls f(first, last) for consecutive parts of [0, count), by one thread or several.
using Loop = std::function<void(index_t count, index_t part,
                                const std::function<void(index_t first, index_t last)>& f)>;

/// Several threads may open sessions; two run at once where memory allows, others take turns.
class GpuBackend final : public Backend {
  public:
    explicit GpuBackend(GpuSetup setup);
    ~GpuBackend() override;

    const Machine& machine() const noexcept override;
    /// Loads the kernels that plans of a type need most, the first time that it is asked for.
    void load(Type type);
    bool lost(DeviceId device) const noexcept override;
    /// Throws Error(no_device) when a device that the plan needs was lost.
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) override;
    /// The same, for one who does a part of the plan elsewhere and has to know of this part.
    std::unique_ptr<Session> open(const Plan& plan, const Binding& binding, GpuRun* run);
    void* allocate(MemoryId memory, std::size_t bytes) override;
    void release(void* pointer) noexcept override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    /// A copy between pinned memory and a device, done when it returns. Those of several threads go
    /// side by side, and wait for no other work of the device. Throws Error.
    void copy(DeviceId device, const CopyArgs& block);
    /// Blocks of any host memory, which pass through slots as those of plans do, to a device; done
    /// when it returns. Throws Error.
    void upload(DeviceId device, std::span<const CopyArgs> blocks);
    /// Memory of a device for this process and others that compute with the same GPU, and what they
    /// open it by. They must not use it when it is released. Throws Error.
    std::shared_ptr<std::byte[]> allocate_shared(DeviceId device, std::size_t bytes,
                                                 GpuSharedBlock& name);
    std::shared_ptr<std::byte[]> open_shared(DeviceId device, const GpuSharedBlock& name);
    std::int64_t room(MemoryId memory) const override;
    /// A pointer into a GPU that several devices share, and that is none of ours, is the first
    /// device's; managed memory is the host's.
    MemoryId locate(const void* pointer) const noexcept override;
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept override;

    const GpuDriver& driver() const noexcept;
    /// GPUs that the devices are of, each once.
    std::vector<int> gpus() const;
    /// The devices that are not lost, as those who make products of host matrices.
    std::vector<BatchWorker> batch_workers(Type type) const;
    /// A batch in host memory: each device makes a range of its products, piece by piece; `loop`
    /// shares out the packing. A product is written back as a whole or not at all. Throws Error.
    void batch(const Batch& batch, const Loop& loop);

    struct State;

  private:
    class Copies;
    std::vector<DeviceId> working_devices() const;
    std::vector<BatchWorker> workers_of(const std::vector<DeviceId>& devices, Type type) const;

    std::unique_ptr<State> state_;
};

}  // namespace gemmill
