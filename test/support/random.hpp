// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same in every run, and how many cases a run can afford.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "gemmill/types.hpp"

namespace gemmill::test {

// A sanitizer makes everything about ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int slowdown = 10;
#else
inline constexpr int slowdown = 1;
#endif
/// The thread sanitizer cannot follow a child that makes threads.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool children_may_have_threads = false;
#else
inline constexpr bool children_may_have_threads = true;
#endif
/// How many of `cases` this build runs.
constexpr int affordable(int cases) { return (cases + slowdown - 1) / slowdown; }

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// 0 <= x < count.
    index_t below(index_t count) {
        return static_cast<index_t>(engine_() % static_cast<std::uint64_t>(count));
    }
    index_t between(index_t low, index_t high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    /// In [-1, 1).
    double real() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1; }

    template <class T, std::size_t N>
    const T& pick(const T (&choices)[N]) {
        return choices[static_cast<std::size_t>(below(static_cast<index_t>(N)))];
    }
    template <class C>
    auto& pick(C& choices) {
        return choices[static_cast<std::size_t>(below(static_cast<index_t>(choices.size())))];
    }

    std::mt19937_64& engine() { return engine_; }

  private:
    std::mt19937_64 engine_;
};

}  // namespace gemmill::test
