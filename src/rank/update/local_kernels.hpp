// SPDX-License-Identifier: Apache-2.0
// What a rank computes with: kernels of the host, and a device if there is one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernel/kernel.hpp"
#include "rank/message/mirror.hpp"

namespace gemmill {

/// Whether something that was begun has ended; throws what it threw.
using HasEnded = std::function<bool()>;

struct DeviceCopy {
    void* to = nullptr;
    const void* from = nullptr;
    std::int64_t bytes = 0;
};
/// Copies to a device, one after the other, and products behind them.
struct DeviceJob {
    std::vector<DeviceCopy> copies;
    std::vector<GemmArgs> products;
    /// Makes the products instead, in a thread of the job's own; throws what keeps it from that.
    std::function<void(const std::vector<GemmArgs>&)> make = {};
};
struct DeviceTask {
    HasEnded copied, ended;
};
/// A device with memory of its own that makes a rank's products while the rank does other things.
/// All empty: there is none.
struct DeviceWork {
    /// Begins a job; products wait for those of all jobs that were begun before.
    std::function<DeviceTask(DeviceJob)> begin;
    /// Memory of the device, until it is asked for again; null where it has not so much.
    std::function<std::byte*(std::int64_t bytes)> sums;
    /// Runs something in a thread of its own beside all jobs; what it returns waits for its end
    /// when it goes. Throws Error(out_of_memory) where there is no thread.
    std::function<std::shared_ptr<void>(std::function<void()>)> aside;
};

/// The arithmetic that a rank does by itself.
struct LocalKernels {
    std::function<void(const GemmArgs&)> gemm;
    std::function<void(const Level3Args&)> level3;
    DeviceWork device = {};
    DeviceMemory memory = {};
    /// f(0) to f(count - 1), in any order, by the threads that copies may take; empty: by one. f is
    /// also told which of the `workers` threads does it.
    std::function<void(std::size_t count,
                       const std::function<void(std::size_t, std::size_t worker)>& f)>
        each = {};
    std::size_t workers = 1;
};

}  // namespace gemmill
