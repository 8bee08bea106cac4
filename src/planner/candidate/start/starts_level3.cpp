// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "machine/grain.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/candidate/sizes.hpp"
#include "planner/candidate/start/lighten.hpp"
#include "planner/candidate/start/starts.hpp"
#include "planner/split/decompose.hpp"
#include "planner/split/targets/triangles.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Eight lines of tiles for each device, where that leaves them large enough.
Cut searched_cut(const Problem& p, index_t devices) {
    const Cut whole = sizes_of(p);
    // As many lines for each device.
    const index_t lines = std::max<index_t>(2, (7 + devices) / devices) * devices;
    // A small first part of symm makes all of A's tiles small in one of their sides.
    const bool tapered = !reads_triangle(p.routine) || is_in_place(p.routine);
    const int taper = tapered && devices == 1 ? 2 : 0;
    return {size_of_part(whole.edge, 8), size_of_part(whole.other, static_cast<double>(lines)),
            taper, reads_triangle(p.routine) ? taper : 0};
}

Cut first_cut(const Problem& p, const Policy& policy, const Choice& choice) {
    if (choice.tile.m > 0) return {choice.tile.m, choice.tile.m};
    const auto devices = static_cast<index_t>(choice.devices.size());
    if (policy.search) return searched_cut(p, devices);
    const index_t m = std::max<index_t>(1, p.m), n = std::max<index_t>(1, p.n);
    const index_t edge =
        choose_edge({policy.tiling, {0, m}, {0, n}, m, n, std::max<index_t>(1, p.k), devices});
    return {edge, edge};
}

/// Smaller tiles, each line of them in one go.
Candidate finer(Candidate c) {
    const auto half = [](index_t size) { return tile_size(static_cast<double>(size) / 2, size); };
    c.choice.tall = false;
    c.choice.cut = {half(c.choice.cut.edge), half(c.choice.cut.other)};
    c.choice.outer = 0;
    return c;
}

/// How one device begins as well: parts along the triangle, and of the side that has none.
struct Parts {
    double edge, other;
    int taper;
    bool tall;
    double outer;
};
/// Few large tiles; all lines in one, whose kernels are the widest that there are; A at once, and
/// thin lines behind it.
constexpr Parts rank_parts[] = {{6, 1.5, 1, false, 1}, {3, 1, 0, false, 0}};
constexpr Parts trmm_parts[] = {{4, 1.5, 1, false, 0.5}, {12, 1, 0, true, 0}, {1, 24, 0, false, 0}};
constexpr Parts trsm_parts[] = {{8, 2, 0, false, 1}, {4, 3, 0, false, 1}};

std::span<const Parts> parts_for(Routine routine) {
    if (routine == Routine::trmm) return trmm_parts;
    if (routine == Routine::trsm) return trsm_parts;
    if (writes_triangle(routine)) return rank_parts;
    return {};
}

void add_parts(const Problem& p, const Candidate& start, std::vector<Candidate>& all) {
    const Cut whole = sizes_of(p);
    for (const Parts& parts : parts_for(p.routine)) {
        Candidate c = start;
        c.choice.cut = {size_of_part(whole.edge, parts.edge),
                        size_of_part(whole.other, parts.other), parts.taper};
        c.choice.tall = parts.tall, c.choice.outer = parts.outer;
        all.push_back(std::move(c));
    }
}

/// Larger parts behind smaller ones, where one change after the other does not lead.
void add_tapered(const Problem& p, Candidate c, std::vector<Candidate>& all) {
    Cut& cut = c.choice.cut;
    const bool trmm = p.routine == Routine::trmm;
    if ((!trmm && !mirrors(p.routine)) || !c.choice.tall || 4 * cut.edge > p.k) return;
    if (!trmm) {
        cut = {2 * cut.edge, cut.other, 4, 4};
    } else {
        cut = {9 * cut.edge / 4, 2 * cut.other, 3, 2};
        c.choice.outer = 0.75;
    }
    all.push_back(std::move(c));
}

/// Tiles of C dealt one by one; also squares, all of them for each part of k: several devices then
/// have something to do as soon as a little of A is there.
void add_singly(const Problem& p, Candidate c, std::vector<Candidate>& all) {
    if (c.choice.devices.size() < 2) return;
    const Cut whole = sizes_of(p);
    c.choice.singly = true;
    all.push_back(c);
    c.choice.outer = 1;
    for (const double parts : {8.0, 12.0}) {
        c.choice.cut.edge = size_of_part(whole.edge, parts);
        c.choice.cut.other = std::min(c.choice.cut.edge, whole.other);
        all.push_back(c);
    }
}

std::int64_t least_room(const Draft& frame, const std::vector<DeviceId>& devices) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    for (const DeviceId d : devices) {
        const MemoryId memory = device_memory(frame.machine, d);
        room = std::min(room, frame.limit[static_cast<std::size_t>(memory)]);
    }
    return room;
}

bool short_of_memory(const Problem& p, std::int64_t room) {
    const std::int64_t c = operand_bytes(p, operand::C);
    return is_read(p, operand::A) && operand_bytes(p, operand::A) + operand_bytes(p, operand::B) +
                                             (writes_triangle(p.routine) ? c / 2 : 2 * c) >
                                         room;
}

/// Blocks of a triangle that need few rows: as few blocks as fit, and the next number of them.
void add_triangles(const Draft& frame, Candidate c, std::int64_t room,
                   std::vector<Candidate>& all) {
    const Problem& p = frame.problem;
    if (!has_triangles(p.routine)) return;
    int left = 2;
    for (const index_t groups : triangle_groups()) {
        const auto cut = triangle_cut(p, groups, room, grain_of(frame.machine));
        if (!cut || groups < std::ssize(c.choice.devices)) continue;
        c.choice.cut = *cut, c.choice.groups = groups, c.choice.tall = false;
        all.push_back(c);
        if (--left == 0) break;
    }
}

/// Lines of trmm and trsm that A passes, where there is room for wide ones.
void add_lines(const Problem& p, Candidate c, std::int64_t room, std::vector<Candidate>& all) {
    constexpr index_t wide = 4096;
    const Cut whole = sizes_of(p);
    if (!is_in_place(p.routine) || c.choice.devices.size() > 1 ||
        std::min(wide, whole.other) * p.k * bytes_of(p.type) > room)
        return;
    for (const index_t edge : {2048, 1024})
        for (const index_t other : {4096, 1024}) {
            c.choice.cut = {std::min(edge, whole.edge), std::min(other, whole.other)};
            c.choice.tall = true, c.choice.outer = 0.5;
            all.push_back(c);
        }
}

/// Where all is on the device that computes, one call of its library does it.
void add_whole(const Draft& frame, Candidate c, std::vector<Candidate>& all) {
    const MemoryId memory = device_memory(frame.machine, c.choice.devices.front());
    const Problem& p = frame.problem;
    const auto away = [&](OperandId operand) {
        return (operand == operand::C || is_read(p, operand)) &&
               p.home[static_cast<std::size_t>(operand)] != memory;
    };
    if (c.choice.devices.size() > 1 || away(operand::A) || away(operand::B) || away(operand::C))
        return;
    c.choice.cut = sizes_of(p);
    c.choice.tall = false;
    all.push_back(std::move(c));
}

}  // namespace

Candidate level3_candidate(const Draft& frame, const Policy& policy, Choice choice) {
    const auto& home = frame.problem.home;
    choice.cut = first_cut(frame.problem, policy, choice);
    // Kernels that run side by side are slower than one after the other, on GPUs that we measured.
    if (choice.queues == 0 && policy.search) choice.queues = 1;
    choice.tall = policy.search && !choice.fixed_tile && choice.devices.size() == 1;
    choice.singly = policy.spread == Spread::turns;
    choice.ahead = policy.order != Sequence::natural;
    choice.outer = policy.search ? 0.5 : choice.ahead ? 1 : 0;
    choice.late = policy.late_c == LateC::always ||
                  (policy.late_c == LateC::shared && (home[2] == home[0] || home[2] == home[1]));
    return {policy, std::move(choice)};
}

Starts level3_starts_on(const Draft& frame, const Candidate& first,
                        const std::vector<DeviceId>& devices, double steps) {
    const Problem& p = frame.problem;
    Choice choice = first.choice;
    choice.devices = devices;
    const Candidate start = level3_candidate(frame, first.policy, std::move(choice));
    Starts starts;
    starts.otherwise = {start};
    if (!first.policy.search || start.choice.fixed_tile) {
        starts.likely = {start};
        return starts;
    }
    add_whole(frame, start, starts.likely);
    const std::int64_t room = least_room(frame, devices);
    if (short_of_memory(p, room)) {
        add_triangles(frame, start, room, starts.likely);
        add_lines(p, start, room, starts.likely);
    }
    starts.likely.push_back(start);
    add_tapered(p, start, starts.likely);
    add_singly(p, start, starts.likely);
    if (const auto shared = shared_from(frame, start)) starts.likely.push_back(*shared);
    if (devices.size() == 1) starts.likely.push_back(finer(start));
    if (frame.devices.size() == 1) add_parts(p, start, starts.likely);
    for (Candidate& c : starts.likely) lighten(frame, c, steps);
    return starts;
}

}  // namespace gemmill
