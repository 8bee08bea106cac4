// SPDX-License-Identifier: Apache-2.0
// Random choices that are the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gemmill::command {

/// splitmix64: the same numbers on every machine, which the distributions of <random> do not give.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
    bool chance(int percent) { return below(100) < percent; }
    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
    }
    /// Every factor is as likely.
    double spread(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }
    template <class T, std::size_t N>
    T pick(const T (&list)[N]) {
        return list[below(static_cast<int>(N))];
    }

  private:
    std::uint64_t state_;
};

}  // namespace gemmill::command
