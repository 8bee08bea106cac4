// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/shared/shared.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/shape/shared/planner.hpp"
#include "planner/split/parts.hpp"

namespace gemmill {

SharedLines::SharedLines(Draft& plan, const Policy& policy, const Choice& choice, bool forward)
    : SharedPlanner(plan, policy, choice),
      along_(cut_from_small(plan.problem.k, choice.cut.edge, choice.cut.taper)) {
    if (!forward) along_ = from_the_end(std::move(along_), p_.k);
}

Part SharedLines::span_of(std::size_t first, std::size_t last) const {
    const Part &a = along_[first], &b = along_[last - 1];
    const index_t begin = std::min(a.first, b.first);
    return {begin, std::max(end_of(a), end_of(b)) - begin};
}

std::vector<LineWorker> SharedLines::deal() const {
    const auto count = static_cast<index_t>(choice_.devices.size());
    const Grid grid = left() ? Grid{1, count} : Grid{count, 1};
    std::vector<LineWorker> workers;
    for (const Block& block : make_grid(plan_.machine, p_, choice_.devices, grid, choice_.shares)) {
        LineWorker w;
        w.device = block.device;
        w.memory = device_memory(plan_.machine, block.device);
        w.mine = left() ? block.cols : block.rows;
        if (w.mine.count == 0) continue;
        const auto wanted =
            static_cast<index_t>(std::lround(choice_.outer * static_cast<double>(w.mine.count)));
        w.front = {w.mine.first, rounded(wanted, w.mine.count, block_of(plan_.machine, wanted))};
        w.rest = cut_lines(w.mine.count - w.front.count, choice_.cut.other, choice_.cut.tail);
        for (Part& line : w.rest) line.first += end_of(w.front);
        workers.push_back(std::move(w));
    }
    return workers;
}

void SharedLines::bring_panel(std::vector<LineWorker>& workers, std::size_t l, const Tile& panel) {
    std::vector<Landing> landings;
    for (LineWorker& w : workers)
        if (w.panels[l] != Ref::home) landings.push_back({w.memory, w.panels[l], &w.ready});
    if (!landings.empty()) passing_.share(builder_.tile(panel), landings);
}

void plan_shared(Draft& plan, const Policy& policy, const Choice& choice) {
    const Routine routine = plan.problem.routine;
    if (plan.problem.m == 0 || plan.problem.n == 0) return;
    if (is_in_place(routine)) return plan_shared_in_place(plan, policy, choice);
    if (mirrors(routine)) return plan_shared_symmetric(plan, policy, choice);
    plan_shared_triangle(plan, policy, choice);
}

}  // namespace gemmill
