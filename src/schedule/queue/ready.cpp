// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/ready.hpp"

#include <algorithm>
#include <map>
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

}  // namespace

ReadyQueue::ReadyQueue(const Tasks& tasks, bool squares, const Deal& deal, const Walk& walk)
    : walk_(walk),
      rank_(tasks.tasks.size()),
      lane_(tasks.tasks.size(), -1),
      by_rank_(tasks.tasks.size()),
      depth_(tasks.tasks.size()),
      missing_(tasks.tasks.size()),
      dependents_(tasks.tasks.size()),
      lanes_(deal.size()) {
    rank_all(tasks, squares, deal);
    for (const TaskId t : by_rank_) {
        const Tasks::Task& task = tasks.tasks[static_cast<std::size_t>(t)];
        for (const Tasks::Range& range : {task.after, task.readers})
            for (const TaskId other : others_in(tasks, range)) {
                dependents_[static_cast<std::size_t>(other)].push_back(t);
                ++missing_[static_cast<std::size_t>(t)];
            }
        depth_[static_cast<std::size_t>(t)] = task.after.count;
        Line& line = line_of(t);
        if (missing_[static_cast<std::size_t>(t)] == 0)
            line.insert(line.end(), rank_[static_cast<std::size_t>(t)]);
    }
}

std::array<std::uint64_t, 2> ReadyQueue::place_of(const Tasks::Task& task, bool squares) const {
    if (walk_.strip > 0) {
        const index_t across = walk_.rows ? task.row : task.col;
        const index_t along = walk_.rows ? task.col : task.row;
        return {static_cast<std::uint64_t>(across / walk_.strip),
                static_cast<std::uint64_t>(along)};
    }
    const bool last = walk_.diagonal_last && task.row == task.col;
    return {last ? 1U : 0U, squares ? interleaved(task.row, task.col) : 0};
}

/// Tasks that were dealt come first, device by device.
void ReadyQueue::rank_all(const Tasks& tasks, bool squares, const Deal& deal) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::vector<std::int32_t> turn(tasks.tasks.size());
    for (std::size_t d = 0; d < deal.size(); ++d)
        for (std::size_t i = 0; i < deal[d].size(); ++i) {
            lane_[static_cast<std::size_t>(deal[d][i])] = static_cast<std::int32_t>(d);
            turn[static_cast<std::size_t>(deal[d][i])] = static_cast<std::int32_t>(i);
        }
    const std::vector<std::int32_t> chain =
        walk_.chains > 0 ? chains_of(tasks) : std::vector<std::int32_t>{};
    std::ranges::sort(by_rank_, {}, [&](TaskId t) {
        const Tasks::Task& task = tasks.tasks[static_cast<std::size_t>(t)];
        const auto group = walk_.chains > 0 ? chain[static_cast<std::size_t>(t)] / walk_.chains : 0;
        return std::tuple(lane_[static_cast<std::size_t>(t)], turn[static_cast<std::size_t>(t)],
                          group, task.after.count + task.readers.count, place_of(task, squares), t);
    });
    for (std::size_t r = 0; r < by_rank_.size(); ++r)
        rank_[static_cast<std::size_t>(by_rank_[r])] = static_cast<std::int32_t>(r);
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
    return by_rank_[static_cast<std::size_t>(*lanes_[device].begin())];
}

std::optional<TaskId> ReadyQueue::last_of_longest() const {
    const auto longest = std::ranges::max_element(lanes_, {}, &Line::size);
    if (longest == lanes_.end() || longest->empty()) return std::nullopt;
    return by_rank_[static_cast<std::size_t>(*longest->rbegin())];
}

/// Of the first task in a lane.
int ReadyQueue::depth_of(const Line& lane) const {
    return depth_[static_cast<std::size_t>(by_rank_[static_cast<std::size_t>(*lane.begin())])];
}

std::optional<TaskId> ReadyQueue::last_of_laggard(std::size_t device) const {
    constexpr int lag = 2;  // of one that is as fast: tasks of a device begin one after the other
    if (device >= lanes_.size() || lanes_[device].empty()) return std::nullopt;
    const Line* last = &lanes_[device];
    for (const Line& lane : lanes_)
        if (!lane.empty() && depth_of(lane) < depth_of(*last)) last = &lane;
    if (depth_of(*last) + lag > depth_of(lanes_[device])) return std::nullopt;
    return by_rank_[static_cast<std::size_t>(*last->rbegin())];
}

void ReadyQueue::begin(TaskId task) {
    for (const TaskId t : dependents_[static_cast<std::size_t>(task)])
        if (--missing_[static_cast<std::size_t>(t)] == 0)
            line_of(t).insert(rank_[static_cast<std::size_t>(t)]);
}

}  // namespace gemmill
