// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/ready.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

namespace gemmill {
namespace {

/// The lower 31 bits, with a 0 after each.
std::uint64_t spread(index_t number) {
    auto x = static_cast<std::uint64_t>(number) & 0x7fffffff;
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

/// Bits of both numbers in turn: squares within squares.
std::uint64_t interleaved(index_t row, index_t col) { return spread(row) | spread(col) << 1; }

std::uint64_t elements_of(const Tasks& tasks, const Tasks::Task& task) {
    const Tile& target = tasks.tiles[static_cast<std::size_t>(task.target)];
    return static_cast<std::uint64_t>(target.rows) * static_cast<std::uint64_t>(target.cols);
}

/// The number of each task's chain.
std::vector<std::int32_t> chains_of(const Tasks& tasks) {
    std::map<TaskId, std::int32_t> numbers;
    std::vector<std::int32_t> chains;
    for (TaskId t = 0; t < std::ssize(tasks.tasks); ++t)
        chains.push_back(
            numbers.try_emplace(chain_of(tasks, t), static_cast<std::int32_t>(numbers.size()))
                .first->second);
    return chains;
}

/// What tasks are sorted by.
struct Standing {
    std::int32_t lane = -1, turn = 0, group = 0, waits = 0;
    std::uint64_t first = 0, then = 0;
    TaskId task = -1;
    auto operator<=>(const Standing&) const = default;
};

}  // namespace

ReadyQueue::ReadyQueue(const Tasks& tasks, bool squares, const Deal& deal, const Walk& walk)
    : walk_(walk),
      rank_(tasks.tasks.size()),
      lane_(tasks.tasks.size(), -1),
      by_rank_(tasks.tasks.size()),
      depth_(tasks.tasks.size()),
      missing_(tasks.tasks.size()),
      dependents_(tasks.others.empty() ? 0 : tasks.tasks.size()),
      ready_(tasks.tasks.size()),
      lanes_(deal.size(), RankSet(tasks.tasks.size())) {
    rank_all(tasks, squares, deal);
    for (const TaskId t : by_rank_) {
        const Tasks::Task& task = tasks.tasks[static_cast<std::size_t>(t)];
        for (const Tasks::Range& range : {task.after, task.readers})
            for (const TaskId other : others_in(tasks, range)) {
                dependents_[static_cast<std::size_t>(other)].push_back(t);
                ++missing_[static_cast<std::size_t>(t)];
            }
        depth_[static_cast<std::size_t>(t)] = task.after.count;
        if (missing_[static_cast<std::size_t>(t)] == 0)
            line_of(t).insert(rank_[static_cast<std::size_t>(t)]);
    }
}

std::pair<std::uint64_t, std::uint64_t> ReadyQueue::place_of(const Tasks& tasks,
                                                             const Tasks::Task& task,
                                                             bool squares) const {
    if (walk_.strip > 0) {
        const index_t across = walk_.rows ? task.row : task.col;
        const index_t along = walk_.rows ? task.col : task.row;
        return {static_cast<std::uint64_t>(across / walk_.strip),
                static_cast<std::uint64_t>(along)};
    }
    const std::uint64_t within = squares ? interleaved(task.row, task.col) : 0;
    if (tasks.together) return {~elements_of(tasks, task), within};
    const bool last = walk_.diagonal_last && task.row == task.col;
    return {last ? 1U : 0U, within};
}

/// Tasks that were dealt come first, device by device.
void ReadyQueue::rank_all(const Tasks& tasks, bool squares, const Deal& deal) {
    std::vector<Standing> order(tasks.tasks.size());
    for (std::size_t d = 0; d < deal.size(); ++d)
        for (std::size_t i = 0; i < deal[d].size(); ++i) {
            Standing& standing = order[static_cast<std::size_t>(deal[d][i])];
            standing.lane = static_cast<std::int32_t>(d);
            standing.turn = static_cast<std::int32_t>(i);
        }
    const std::vector<std::int32_t> chain =
        walk_.chains > 0 ? chains_of(tasks) : std::vector<std::int32_t>{};
    for (std::size_t t = 0; t < order.size(); ++t) {
        const Tasks::Task& task = tasks.tasks[t];
        lane_[t] = order[t].lane;
        if (walk_.chains > 0) order[t].group = chain[t] / walk_.chains;
        order[t].waits = task.after.count + task.readers.count;
        std::tie(order[t].first, order[t].then) = place_of(tasks, task, squares);
        order[t].task = static_cast<TaskId>(t);
    }
    std::ranges::sort(order);
    for (std::size_t r = 0; r < order.size(); ++r) {
        by_rank_[r] = order[r].task;
        rank_[static_cast<std::size_t>(by_rank_[r])] = static_cast<std::int32_t>(r);
    }
}

ReadyQueue::Line& ReadyQueue::line_of(TaskId task) {
    const std::int32_t lane = lane_[static_cast<std::size_t>(task)];
    return lane < 0 ? ready_ : lanes_[static_cast<std::size_t>(lane)];
}

std::size_t ReadyQueue::size() const {
    std::size_t sum = ready_.size();
    for (const Line& lane : lanes_) sum += lane.size();
    return sum;
}

std::optional<TaskId> ReadyQueue::first_of(std::size_t device) const {
    if (device >= lanes_.size() || lanes_[device].empty()) return std::nullopt;
    return by_rank_[static_cast<std::size_t>(lanes_[device].front())];
}

std::optional<TaskId> ReadyQueue::last_of_longest() const {
    const auto longest = std::ranges::max_element(lanes_, {}, &Line::size);
    if (longest == lanes_.end() || longest->empty()) return std::nullopt;
    return by_rank_[static_cast<std::size_t>(longest->back())];
}

/// Of the first task in a lane.
int ReadyQueue::depth_of(const Line& lane) const {
    return depth_[static_cast<std::size_t>(by_rank_[static_cast<std::size_t>(lane.front())])];
}

std::optional<TaskId> ReadyQueue::last_of_laggard(std::size_t device) const {
    constexpr int lag = 2;  // of one that is as fast: tasks of a device begin one after the other
    if (device >= lanes_.size() || lanes_[device].empty()) return std::nullopt;
    const Line* last = &lanes_[device];
    for (const Line& lane : lanes_)
        if (!lane.empty() && depth_of(lane) < depth_of(*last)) last = &lane;
    if (depth_of(*last) + lag > depth_of(lanes_[device])) return std::nullopt;
    return by_rank_[static_cast<std::size_t>(last->back())];
}

void ReadyQueue::begin(TaskId task) {
    if (dependents_.empty()) return;
    for (const TaskId t : dependents_[static_cast<std::size_t>(task)])
        if (--missing_[static_cast<std::size_t>(t)] == 0)
            line_of(t).insert(rank_[static_cast<std::size_t>(t)]);
}

}  // namespace gemmill
