// SPDX-License-Identifier: Apache-2.0
// The plans of a context, by problem; the one used longest ago goes first.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

struct ProblemHash {
    std::size_t operator()(const Problem& problem) const noexcept;
};

/// Safe to use from several threads.
class PlanCache {
  public:
    using Entry = std::shared_ptr<const Plan>;
    explicit PlanCache(std::size_t capacity) : capacity_(capacity) {}

    /// nullptr when it is not there.
    Entry find(const Problem& problem);
    /// Replaces the plan of the same problem.
    void put(const Problem& problem, Entry plan);
    std::size_t size() const;

  private:
    using List = std::list<std::pair<Problem, Entry>>;
    mutable std::mutex mutex_;
    std::size_t capacity_;
    List recent_;  // newest first
    std::unordered_map<Problem, List::iterator, ProblemHash> index_;
};

}  // namespace gemmill
