// SPDX-License-Identifier: Apache-2.0
// Where time goes.
#pragma once

#include <chrono>

namespace gemmill {

/// Adds the seconds that it lives to a sum.
class Watch {
  public:
    explicit Watch(double& sum) : sum_(sum) {}
    ~Watch() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    double& sum_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace gemmill
