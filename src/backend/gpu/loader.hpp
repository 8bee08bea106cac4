// SPDX-License-Identifier: Apache-2.0
// Kernels are loaded when they are first launched: some ten milliseconds for the first product of a
// type, in which its launcher stands still, and those of sums wait until the device is idle. A
// thread of the loader launches a small one of each while the first call is planned and its first
// matrices travel.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/gpu_driver.hpp"

namespace gemmill {

/// Safe to use from several threads. What fails here fails again, and is told, where it is needed.
class Loader {
  public:
    Loader(const GpuDriver& driver, std::vector<int> gpus);
    /// Waits for what is being loaded.
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Begins to load what calls of a type need, the first time that it is asked for.
    void load(Type type);

  private:
    class Trial;

    const GpuDriver& driver_;
    std::atomic<unsigned> begun_ = 0;             // a bit for each type
    std::vector<std::unique_ptr<Trial>> trials_;  // by GPU
    std::mutex mutex_;
    std::vector<std::thread> threads_;
};

}  // namespace gemmill
