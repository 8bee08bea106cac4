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
    static constexpr int most = 4;          ///< candidates
    static constexpr int rounds = 3;        ///< timed calls of each: some may be disturbed
    static constexpr int fewer_rounds = 2;  ///< of one alone, and of those that come later
    static constexpr double unknown = std::numeric_limits<double>::infinity();

    /// With fewer than two candidates there is nothing to try. The first is the one that is
    /// estimated to be fastest.
    explicit BatchTrials(int candidates = 1)
        : BatchTrials(0, std::min(candidates, most), candidates > 1 ? rounds : 0) {}
    /// One alone, whose time is wanted.
    static BatchTrials of_one() { return {0, 1, fewer_rounds}; }
    /// The first is known to take so long and has no turns; the others have to be faster.
    static BatchTrials against(double seconds, int others) {
        BatchTrials trials(1, std::min(others, most - 1), fewer_rounds);
        trials.note(0, seconds);
        return trials;
    }

    /// Who makes the next call, and whether its time is wanted.
    struct Turn {
        int candidate = 0;
        bool timed = false;
    };
    Turn next() {
        if (left_ == 0) return {best(), false};
        // Each round begins with another one: the first call after a pause waits for the host.
        const int call = turns_ - left_--;
        return {first_ + (call + call / in_turn_) % in_turn_, true};
    }
    /// Times may come later, or never.
    void note(int candidate, double seconds) {
        double& least = seconds_[static_cast<std::size_t>(candidate)];
        least = std::min(least, seconds);
    }
    bool has_turns() const { return left_ > 0; }
    /// The time of the fastest that is known.
    double least() const { return *std::min_element(seconds_.begin(), seconds_.end()); }

    /// The fastest that is known. What is hardly faster than the first is not worth a change.
    int best() const {
        constexpr double worthwhile = 0.98;
        const auto least = std::min_element(seconds_.begin(), seconds_.end());
        return *least < worthwhile * seconds_[0] ? static_cast<int>(least - seconds_.begin()) : 0;
    }

  private:
    BatchTrials(int first, int in_turn, int rounds_of_each)
        : first_(first), in_turn_(in_turn), turns_(rounds_of_each * in_turn), left_(turns_) {
        seconds_.fill(unknown);
    }

    int first_, in_turn_;  // candidates that have turns
    int turns_, left_;
    std::array<double, most> seconds_;  // the least of each candidate
};

}  // namespace gemmill
