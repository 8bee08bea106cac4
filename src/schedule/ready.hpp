// SPDX-License-Identifier: Apache-2.0
// The global queue of tasks that are ready.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "task/tasks.hpp"

namespace gemmill {

/// A task is ready when all that it depends on has begun: of what is not yet there its terms wait,
/// one by one. Whoever has begun depends only on tasks that have begun, so the first of them can
/// always go on.
/// The order: what a chain of tasks begins with; then by squares of tiles within larger squares, so
/// that neighbours in the queue share inputs, or column by column.
class ReadyQueue {
  public:
    ReadyQueue(const Tasks& tasks, bool squares);

    bool empty() const { return ready_.empty(); }
    std::size_t size() const { return ready_.size(); }
    /// Visits the first tasks in order.
    template <class Visit>
    void each(int most, Visit visit) const {
        for (const std::int32_t rank : ready_) {
            if (most-- == 0) return;
            visit(by_rank_[static_cast<std::size_t>(rank)]);
        }
    }
    void remove(TaskId task) { ready_.erase(rank_[static_cast<std::size_t>(task)]); }
    /// The task has begun; those that become ready by it join.
    void begin(TaskId task);

  private:
    std::vector<std::int32_t> rank_;  // by task
    std::vector<TaskId> by_rank_;
    std::vector<std::int32_t> missing_;            // by task
    std::vector<std::vector<TaskId>> dependents_;  // by task
    std::set<std::int32_t> ready_;                 // ranks
};

}  // namespace gemmill
