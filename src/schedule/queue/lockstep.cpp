// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "schedule/queue/rectangles.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

}  // namespace

index_t strip_for(const Tasks& tasks, int targets) {
    index_t cols = 0;
    double height = 0, width = 0;
    for (const Tasks::Task& task : tasks.tasks) {
        const Tile& target = tasks.tiles[at(task.target)];
        cols = std::max(cols, task.col + 1);
        height += static_cast<double>(target.rows), width += static_cast<double>(target.cols);
    }
    const double wanted = std::max(1.0, std::round(std::sqrt(targets * height / width)));
    const auto strips = static_cast<index_t>(std::ceil(static_cast<double>(cols) / wanted));
    return (cols + strips - 1) / strips;
}

Lockstep::Lockstep(const Tasks& tasks, std::span<const TaskId> order, int size) {
    if (size == 0) return;
    block_of_.assign(order.size(), -1);
    next_.resize(order.size()), terms_.resize(order.size());
    blocks_.resize((order.size() + at(size) - 1) / at(size));
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const std::size_t number = rank / at(size), task = at(order[rank]);
        if (in_strip(tasks, order[rank])) continue;  // they are another device's, and come last
        block_of_[task] = static_cast<std::int32_t>(number);
        terms_[task] = tasks.tasks[task].terms.count;
        State& state = blocks_[number];
        state.left.resize(std::max(state.left.size(), at(terms_[task]) + 1));
        ++state.left.front();
    }
}

void Lockstep::advance(TaskId task) {
    if (is_free(task)) return;
    State& state = blocks_[at(block_of_[at(task)])];
    --state.left[at(next_[at(task)])];
    // Who has issued all holds nobody back.
    if (++next_[at(task)] < terms_[at(task)]) ++state.left[at(next_[at(task)])];
    while (state.least + 1 < state.left.size() && state.left[state.least] == 0) ++state.least;
}

void Lockstep::leave(TaskId task) {
    if (is_free(task)) return;
    while (next_[at(task)] < terms_[at(task)]) advance(task);
}

int Lockstep::lead_in_block(TaskId task) const {
    return next_[at(task)] - static_cast<int>(blocks_[at(block_of_[at(task)])].least);
}

}  // namespace gemmill
