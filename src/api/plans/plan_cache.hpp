// SPDX-License-Identifier: Apache-2.0
// The plans of a context, by problem; the one used longest ago goes first. There is a limit to how
// many they are, and to how much memory they take.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

struct ProblemHash {
    std::size_t operator()(const Problem& problem) const noexcept;
};

/// Calls of a plan that nobody counts: more than there are.
inline constexpr std::int64_t never_counted = std::int64_t{1} << 62;

/// What a plan takes in memory.
std::size_t memory_of(const Plan& plan) noexcept;

/// Safe to use from several threads.
class PlanCache {
  public:
    using Entry = std::shared_ptr<const Plan>;
    /// A thousand plans for GPUs take some hundred MB; one of tiny tiles may take ten.
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;
    explicit PlanCache(std::size_t capacity, std::size_t bytes = most_bytes)
        : capacity_(capacity), bytes_(bytes) {}

    /// nullptr when it is not there.
    Entry find(const Problem& problem);
    /// Replaces the plan of the same problem. One that is larger than the limit is kept alone.
    /// Calls of it are counted from `calls` on.
    void put(const Problem& problem, Entry plan, std::int64_t calls = 0);
    /// Counts a call of a plan and returns how many there were; 0 where there is none.
    std::int64_t count(const Problem& problem);
    /// Puts a plan in the place of another one, which is no longer counted, on trial.
    void try_out(const Problem& problem, Entry plan);
    /// What a call of a plan took. After some of one on trial the faster of the two stays: the
    /// fastest call counts, for others are disturbed.
    void note(const Problem& problem, const Plan& plan, double seconds);
    std::size_t size() const;

  private:
    struct Item {
        Problem problem;
        Entry plan;
        std::int64_t calls = 0;
        double fastest;  ///< call, in seconds
        Entry before;    ///< the plan in whose place this one is on trial
        double fastest_before = 0;
        int trials = 0;  ///< that are left
    };
    using List = std::list<Item>;
    void remove(List::iterator plan);

    mutable std::mutex mutex_;
    std::size_t capacity_, bytes_;
    std::size_t used_ = 0;  // of the bytes
    List recent_;           // newest first
    std::unordered_map<Problem, List::iterator, ProblemHash> index_;
};

}  // namespace gemmill
