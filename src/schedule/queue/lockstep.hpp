// SPDX-License-Identifier: Apache-2.0
// Lockstep of targets that a device makes together where memory is too short for all inputs: what
// they read for one term serves all of them before the next comes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task/tasks.hpp"

namespace gemmill {

/// Columns of tiles of a strip in which blocks of so many targets are as square as they can be;
/// strips are alike.
index_t strip_for(const Tasks& tasks, int targets);

/// How far the tasks of each block are.
class Lockstep {
  public:
    /// So many tasks of the order each; 0: there are no blocks.
    Lockstep(const Tasks& tasks, std::span<const TaskId> order, int size);

    /// One more term of the task is issued.
    void advance(TaskId task);
    /// The task is made elsewhere.
    void leave(TaskId task);
    /// Terms that the task is ahead of the last of its block, begun or not; 0 without blocks.
    int lead(TaskId task) const { return is_free(task) ? 0 : lead_in_block(task); }

  private:
    struct State {
        std::vector<std::int32_t> left;  // tasks by the number of their terms that are issued
        std::size_t least = 0;           // the first that is not 0
    };
    int lead_in_block(TaskId task) const;
    bool is_free(TaskId task) const {
        return block_of_.empty() || block_of_[static_cast<std::size_t>(task)] < 0;
    }

    std::vector<std::int32_t> block_of_;  // by task; empty: there are no blocks; -1: in none
    std::vector<std::int32_t> next_;      // by task
    std::vector<std::int32_t> terms_;     // by task
    std::vector<State> blocks_;
};

}  // namespace gemmill
