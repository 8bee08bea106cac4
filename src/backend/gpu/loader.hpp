// SPDX-License-Identifier: Apache-2.0
// Kernels are loaded when they are first launched: some ten milliseconds for the first product of a
// type, in which whoever launches it stands still, and twice as long where threads pack meanwhile;
// those of sums wait until the device has nothing to do. So a small one of each is launched before
// there is anything else.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "backend/gpu_driver.hpp"

namespace gemmill {

/// Safe to use from several threads. What fails here fails again, and is told, where it is needed.
class Loader {
  public:
    Loader(const GpuDriver& driver, const std::vector<int>& gpus);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Loads what calls of a type need, the first time that it is asked for, on all GPUs at once.
    void load(Type type);

  private:
    class Trial;

    const GpuDriver& driver_;
    std::atomic<unsigned> begun_ = 0;             // a bit for each type
    std::vector<std::unique_ptr<Trial>> trials_;  // by GPU
};

}  // namespace gemmill
