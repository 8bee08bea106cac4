// SPDX-License-Identifier: Apache-2.0
// The first product of a process waits until the library of kernels is loaded, tens of
// milliseconds: threads have that done while the first matrices are on their way.
#pragma once

#include <thread>
#include <vector>

#include "backend/gpu_driver.hpp"

namespace gemmill {

class Warmup {
  public:
    /// Makes a small product on each of these GPUs, in the background. What fails is not told: a
    /// call that needs it will fail, too.
    Warmup(const GpuDriver& driver, const std::vector<int>& devices);
    /// Waits for it.
    ~Warmup();
    Warmup(const Warmup&) = delete;
    Warmup& operator=(const Warmup&) = delete;

  private:
    std::vector<std::thread> threads_;
};

}  // namespace gemmill
