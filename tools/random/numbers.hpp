// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere: splitmix64.
#pragma once

#include <cstdint>

namespace gemmill::command {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    /// -1 to 1.
    double uniform() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
    }

  private:
    std::uint64_t state_;
};

}  // namespace gemmill::command
