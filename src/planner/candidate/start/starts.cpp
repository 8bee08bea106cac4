// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/start/starts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/candidate/favour.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/candidate/start/lighten.hpp"
#include "planner/shape/streamed/bands.hpp"
#include "planner/split/decompose.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

bool on_host(const Draft& frame, OperandId operand) {
    const MemoryId home = frame.problem.home[static_cast<std::size_t>(operand)];
    return frame.machine.memories[static_cast<std::size_t>(home)].kind == MemoryKind::host;
}

/// Writes take turns where reading, of which there is more, takes the same links.
void guess_pace(const Draft& frame, index_t devices, Strips& s) {
    s.turns = devices > 1 && on_host(frame, operand::C) &&
              (on_host(frame, operand::A) || on_host(frame, operand::B));
    const bool over_k = s.front > 0 && !s.by_rows;
    s.ahead = !s.turns ? 4 : over_k ? 5 : 3;
}

std::vector<Strips> some_strips(const Draft& frame, const std::vector<DeviceId>& devices) {
    if (needs_bands(frame, devices))
        return {rough_bands(frame, devices.front(), 1), rough_bands(frame, devices.front(), 1.25)};
    constexpr double coarse = 8;
    const Problem& p = frame.problem;
    const auto count = static_cast<index_t>(devices.size());
    const Rough rough = rough_times(frame, devices);
    const index_t strips = rough_strips(frame, devices, coarse);
    const double front = rough_front(rough);
    std::vector<Strips> some{{0, false, 6, 1.06, strips, 1}};
    const bool deep = p.k > 2 * p.n;
    if (front > 0) some.push_back({front, false, 8, rough_growth(rough, front), strips, 1});
    for (const double f : {0.5, 1.0})
        if ((front >= 0.2 || (deep && f == 1)) && std::abs(f - front) > 0.2)
            some.push_back({f, false, 8, rough_growth(rough, f), strips, 1});
    // A slice of k for each device, for every second one, or for every fourth.
    for (index_t slices = count; slices > 1 && 4 * slices >= count; slices /= 2)
        if (p.k > 4 * std::max(p.m, p.n) && count % slices == 0)
            some.push_back({1, false, 8, 1.06, strips, 1, slices});
    // Parts of columns cost the host's links more, so less of it there.
    some.push_back({on_host(frame, operand::C) ? 0.1 : 0.25, true, 5, 1.0, strips, 1});
    // Where C is tall its columns are too few to cut.
    if (p.m > 8 * p.n) some.push_back({1, true, 16, 1.0, strips, 1});
    for (Strips& one : some) guess_pace(frame, count, one);
    return some;
}

/// A wider front whose C comes late, where C does not share its home's links with the host: for
/// plans that computing limits. Blocks may be of any form where nothing is on the host.
void add_late_front(const Draft& frame, std::vector<Candidate>& all) {
    const Problem& p = frame.problem;
    Candidate c = all.front();
    const auto count = static_cast<index_t>(c.choice.devices.size());
    const double front = rough_front(rough_times(frame, c.choice.devices));
    if (on_host(frame, operand::C) || front == 0 || count <= 2 || p.k > p.n) return;
    c.policy.late_c = LateC::always;
    c.choice.shares.clear();
    if (!on_host(frame, operand::A) && !on_host(frame, operand::B))
        c.choice.grid = best_grid(p, count);
    c.choice.strips = {std::min(1.0, front + 0.15), false, 10, 1.15, c.choice.strips.strips, 2};
    all.push_back(std::move(c));
}

/// What policies that search mean by strips where there can be none.
Candidate tiles_of(Candidate c) {
    if (c.policy.search && c.policy.order == Sequence::strips) c.policy.order = Sequence::panels;
    return c;
}

/// Tiles that the policy would choose, or larger ones where these are too many to be looked at.
Candidate affordable_tiles(const Draft& frame, const Candidate& first, double steps) {
    Candidate c = tiles_of(first);
    if (c.policy.search) lighten(frame, c, steps);
    return c;
}

}  // namespace

std::vector<Candidate> coarse_strips(const Draft& frame, const Candidate& start) {
    const bool all_local = std::ranges::all_of(start.choice.devices, [&](DeviceId d) {
        return std::ranges::all_of(frame.problem.home, [&](MemoryId home) {
            return home == device_memory(frame.machine, d);
        });
    });
    if (all_local || !is_read(frame.problem, operand::A) || start.choice.fixed_tile ||
        !start.policy.caching || !start.policy.overlap || start.policy.spread != Spread::grid)
        return {};
    std::vector<Candidate> all;
    for (const Strips& one : some_strips(frame, start.choice.devices)) {
        Candidate c = start;
        c.policy.order = Sequence::strips;
        c.choice.grid = strip_grid(frame.problem, start.choice.devices.size());
        c.choice.strips = one;
        favour(frame, c, rough_favour(frame, c.choice.devices));
        all.push_back(std::move(c));
    }
    add_late_front(frame, all);
    return all;
}

Starts starts_on(const Draft& frame, const Candidate& first, const std::vector<DeviceId>& devices,
                 double steps) {
    if (frame.problem.routine != Routine::gemm)
        return level3_starts_on(frame, first, devices, steps);
    Candidate c = first;
    c.choice.devices = devices;
    Starts starts;
    if (c.policy.order == Sequence::strips) starts.likely = coarse_strips(frame, c);
    // Too coarse strips cannot be told apart: twice as many steps for each of them.
    for (Candidate& one : starts.likely) lighten(frame, one, 2 * steps);
    // The only start there is where strips do not fit, so that it may take more.
    starts.otherwise = {affordable_tiles(frame, c, 4 * steps)};
    // Short of memory tiles may be faster than bands.
    if (needs_bands(frame, devices)) starts.likely.push_back(starts.otherwise.front());
    return starts;
}

Candidate moved_to(const Draft& frame, Candidate c, const std::vector<DeviceId>& devices) {
    c.choice.devices = devices;
    if (frame.problem.routine != Routine::gemm) return c;
    const bool strips = c.policy.order == Sequence::strips;
    c.choice.grid = strips ? strip_grid(frame.problem, devices.size())
                           : best_grid(frame.problem, static_cast<index_t>(devices.size()));
    c.choice.strips.slices = 1;
    if (!std::exchange(c.choice.shares, {}).empty()) favour(frame, c, rough_favour(frame, devices));
    return c;
}

std::vector<Candidate> named_on(const Draft& frame, const Candidate& first,
                                const std::vector<DeviceId>& devices) {
    std::vector<Candidate> all;
    for (const Policy& policy : policies()) {
        if (policy.search) continue;
        Candidate c{policy, first.choice};
        c.choice.devices = devices;
        all.push_back(frame.problem.routine == Routine::gemm
                          ? std::move(c)
                          : level3_candidate(frame, policy, std::move(c.choice)));
    }
    return all;
}

TileSize tile_used(const Draft& plan) {
    TileSize used{1, 1, 1};
    for (const Buffer& buffer : plan.buffers) {
        const Tile& t = plan.tiles[static_cast<std::size_t>(buffer.tile)];
        if (t.operand == operand::C) {
            used.m = std::max(used.m, t.rows);
            used.n = std::max(used.n, t.cols);
            continue;
        }
        index_t& side = t.operand == operand::A ? used.m : used.n;
        side = std::max(side, c_span(plan.problem, t).count);
        used.k = std::max(used.k, k_span(plan.problem, t).count);
    }
    return used;
}

}  // namespace gemmill
