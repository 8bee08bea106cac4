// SPDX-License-Identifier: Apache-2.0
// The global queue of tasks that are ready.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/queue/deal.hpp"
#include "schedule/queue/ranks.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// How a device that is alone goes through the targets.
struct Walk {
    index_t strip = 0;  ///< lines of tiles that it makes together; 0: it is free to choose
    bool rows = false;  ///< these lines are rows, or else columns
    /// Squares at the diagonal, which need their old values before their first products, come last.
    bool diagonal_last = false;
    /// Chains of tasks that read each other's targets which it makes together; 0: all.
    int chains = 0;
};

/// A task is ready when all that it depends on has begun: of what is not yet there its terms wait,
/// one by one. Whoever has begun depends only on tasks that have begun, so the first of them can
/// always go on.
/// The order: what a chain of tasks begins with; then by squares of tiles within larger squares, so
/// that neighbours in the queue share inputs, or column by column.
/// With strips, row by row down strips of so many columns, or column by column along strips of
/// rows; tasks are then to be taken strictly in this order. Tasks that a deal gave to a device have
/// a lane of their own instead, in the order of the deal.
class ReadyQueue {
  public:
    ReadyQueue(const Tasks& tasks, bool squares, const Deal& deal = {}, const Walk& walk = {});

    std::span<const TaskId> order() const { return by_rank_; }
    bool strict() const { return walk_.strip > 0 || walk_.chains > 0; }

    bool empty() const { return ready_.empty(); }
    /// Those in lanes as well.
    std::size_t size() const;
    /// Visits the first tasks in order.
    template <class Visit>
    void each(int most, Visit visit) const {
        ready_.each([&](std::int32_t rank) {
            if (most-- == 0) return false;
            visit(by_rank_[static_cast<std::size_t>(rank)]);
            return true;
        });
    }
    /// The first task in the lane of a device.
    std::optional<TaskId> first_of(std::size_t device) const;
    /// The last task of the longest lane: the one that its device would come to last.
    std::optional<TaskId> last_of_longest() const;
    /// The last task of the lane that is furthest behind in its chains, where that is further than
    /// tasks in flight explain behind the next task of the device.
    std::optional<TaskId> last_of_laggard(std::size_t device) const;
    void remove(TaskId task) { line_of(task).erase(rank_[static_cast<std::size_t>(task)]); }
    /// The task has begun; those that become ready by it join.
    void begin(TaskId task);

  private:
    using Line = RankSet;
    /// Where a task stands among those that are ready as soon.
    std::pair<std::uint64_t, std::uint64_t> place_of(const Tasks& tasks, const Tasks::Task& task,
                                                     bool squares) const;
    Line& line_of(TaskId task);
    int depth_of(const Line& lane) const;
    void rank_all(const Tasks& tasks, bool squares, const Deal& deal);

    const Walk walk_;
    std::vector<std::int32_t> rank_;  // by task
    std::vector<std::int32_t> lane_;  // by task; -1: the queue's
    std::vector<TaskId> by_rank_;
    std::vector<std::int32_t> depth_;              // by task: of those before it in its chain
    std::vector<std::int32_t> missing_;            // by task
    std::vector<std::vector<TaskId>> dependents_;  // by task; empty: nobody waits for another
    Line ready_;
    std::vector<Line> lanes_;  // by device
};

}  // namespace gemmill
