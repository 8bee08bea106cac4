// SPDX-License-Identifier: Apache-2.0
#include "schedule/ready.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gemmill {
namespace {

/// Bits of both numbers in turn: squares within squares.
std::uint64_t interleaved(index_t row, index_t col) {
    std::uint64_t key = 0;
    for (unsigned bit = 0; bit < 31; ++bit) {
        key |= (static_cast<std::uint64_t>(row) >> bit & 1) << (2 * bit);
        key |= (static_cast<std::uint64_t>(col) >> bit & 1) << (2 * bit + 1);
    }
    return key;
}

}  // namespace

ReadyQueue::ReadyQueue(const Tasks& tasks, bool squares)
    : rank_(tasks.tasks.size()),
      by_rank_(tasks.tasks.size()),
      missing_(tasks.tasks.size()),
      dependents_(tasks.tasks.size()) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    const auto task = [&](TaskId t) -> const Tasks::Task& {
        return tasks.tasks[static_cast<std::size_t>(t)];
    };
    std::ranges::sort(by_rank_, {}, [&](TaskId t) {
        return std::tuple(task(t).after.count + task(t).readers.count,
                          squares ? interleaved(task(t).row, task(t).col) : 0, t);
    });
    for (std::size_t r = 0; r < by_rank_.size(); ++r) {
        const TaskId t = by_rank_[r];
        rank_[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(r);
        for (const Tasks::Range& range : {task(t).after, task(t).readers})
            for (const TaskId other : others_in(tasks, range)) {
                dependents_[static_cast<std::size_t>(other)].push_back(t);
                ++missing_[static_cast<std::size_t>(t)];
            }
        if (missing_[static_cast<std::size_t>(t)] == 0)
            ready_.insert(ready_.end(), static_cast<std::int32_t>(r));
    }
}

void ReadyQueue::begin(TaskId task) {
    for (const TaskId t : dependents_[static_cast<std::size_t>(task)])
        if (--missing_[static_cast<std::size_t>(t)] == 0)
            ready_.insert(rank_[static_cast<std::size_t>(t)]);
}

}  // namespace gemmill
