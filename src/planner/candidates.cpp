// SPDX-License-Identifier: Apache-2.0
#include "planner/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/sharing.hpp"
#include "planner/bands.hpp"
#include "planner/rough.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// What the links from host memory carry to these devices together.
double host_bandwidth(const Draft& frame, const std::vector<DeviceId>& devices) {
    std::vector<LinkId> links;
    for (std::size_t l = 0; l < frame.machine.links.size(); ++l) {
        const Link& link = frame.machine.links[l];
        const bool from_host =
            frame.machine.memories[static_cast<std::size_t>(link.from)].kind == MemoryKind::host;
        const bool to_one = std::ranges::any_of(
            devices, [&](DeviceId d) { return device_memory(frame.machine, d) == link.to; });
        if (from_host && to_one) links.push_back(static_cast<LinkId>(l));
    }
    return aggregate_bandwidth(frame.machine, links);
}

std::string describe_strips(const Candidate& c) {
    const Strips& s = c.choice.strips;
    const std::string front =
        s.front == 0
            ? ""
            : fmt::format(" {} {}*{:.2f}", s.by_rows ? "slabs" : "panels", s.panels, s.growth);
    const std::string bands = s.bands > 0 ? fmt::format(" bands {}", s.bands) : "";
    return fmt::format(
        "share {:.2f}{} front {:.2f}{} strips {}:{} slices {} turns {} ahead {} late_c {}",
        favour_of(c), bands, s.front, front, s.strips, s.drain, s.slices, s.turns ? "on" : "off",
        s.ahead, name_of(c.policy.late_c));
}

std::string describe_tiles(const Candidate& c) {
    const TileSize& tile = c.choice.tile;
    return fmt::format("tile {}x{}x{} order {} outer {} late_c {}:{} pieces {}", tile.m, tile.n,
                       tile.k, name_of(c.policy.order), c.choice.outer, name_of(c.policy.late_c),
                       c.choice.late_slots, c.policy.chain ? c.policy.pieces : 0);
}

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
    if (p.k > 4 * std::max(p.m, p.n) && count > 1)
        some.push_back({1, false, 8, 1.06, strips, 1, count});
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

}  // namespace

std::string describe(const Draft& frame, const Candidate& c) {
    std::string devices;
    for (const DeviceId d : c.choice.devices)
        devices +=
            (devices.empty() ? "" : ",") + frame.machine.devices[static_cast<std::size_t>(d)].name;
    return fmt::format("{} grid {}x{} {}", devices, c.choice.grid.rows, c.choice.grid.cols,
                       c.policy.order == Sequence::strips ? describe_strips(c) : describe_tiles(c));
}

double favour_of(const Candidate& c) {
    return c.choice.shares.empty() ? 1 : std::ranges::max(c.choice.shares);
}

bool favour(const Draft& frame, Candidate& c, double share) {
    const DeviceId device = favoured_device(frame, c.choice.devices);
    if (device < 0 || c.choice.devices.size() < 2 || share < 1.05 || c.choice.strips.slices > 1)
        return false;
    const double rate = rate_of(frame.machine, frame.problem, device);
    c.choice.shares.clear();
    for (const DeviceId d : c.choice.devices)
        c.choice.shares.push_back((d == device ? share : 1) *
                                  rate_of(frame.machine, frame.problem, d) / rate);
    if (c.choice.grid.rows != 1 && c.choice.grid.cols != 1)
        c.choice.grid = strip_grid(frame.problem, c.choice.devices.size());
    return true;
}

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

Grid strip_grid(const Problem& problem, std::size_t devices) {
    const auto count = static_cast<index_t>(devices);
    return count <= problem.n ? Grid{1, count} : best_grid(problem, count);
}

std::vector<DeviceId> pick_devices(const Draft& frame, std::size_t count) {
    std::vector<DeviceId> picked;
    std::vector<DeviceId> left = frame.devices;
    const auto score = [&](DeviceId d) {
        const auto lives = std::ranges::count(frame.problem.home, device_memory(frame.machine, d));
        std::vector<DeviceId> with = picked;
        with.push_back(d);
        return std::pair(lives, host_bandwidth(frame, with));
    };
    while (picked.size() < count) {
        const auto best = std::ranges::max_element(left, {}, score);
        picked.push_back(*best);
        left.erase(best);
    }
    std::ranges::sort(picked);
    return picked;
}

}  // namespace gemmill
