// SPDX-License-Identifier: Apache-2.0
// Estimates of kernels for batches are off by some percent. Of those that are about as fast as the
// fastest each makes some of the first calls of a shape; the one that took least stays. Also
// compiled into the CUDA part.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

namespace gemmill {

class BatchTrials {
  public:
    static constexpr int most = 4;    ///< candidates
    static constexpr int rounds = 3;  ///< timed calls of each: some may be disturbed

    /// With fewer than two candidates there is nothing to try. The first is the one that is
    /// estimated to be fastest.
    explicit BatchTrials(int candidates = 1)
        : candidates_(std::min(candidates, most)), left_(candidates_ > 1 ? calls() : 0) {
        seconds_.fill(std::numeric_limits<double>::infinity());
    }

    /// Who makes the next call, and whether its time is wanted.
    struct Turn {
        int candidate = 0;
        bool timed = false;
    };
    Turn next() {
        if (left_ == 0) return {best(), false};
        // Each round begins with another one: the first call after a pause waits for the host.
        const int call = calls() - left_--;
        return {(call + call / candidates_) % candidates_, true};
    }
    /// Times may come later, or never.
    void note(int candidate, double seconds) {
        double& least = seconds_[static_cast<std::size_t>(candidate)];
        least = std::min(least, seconds);
    }
    bool has_turns() const { return left_ > 0; }

    /// The fastest that is known. What is hardly faster than the first is not worth a change.
    int best() const {
        constexpr double worthwhile = 0.98;
        const auto least = std::min_element(seconds_.begin(), seconds_.end());
        return *least < worthwhile * seconds_[0] ? static_cast<int>(least - seconds_.begin()) : 0;
    }

  private:
    int calls() const { return rounds * candidates_; }

    int candidates_, left_;
    std::array<double, most> seconds_;  // the least of each candidate
};

}  // namespace gemmill
