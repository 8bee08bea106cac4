// SPDX-License-Identifier: Apache-2.0
// Where the search for plans begins in which each of several devices holds all of A. A short run
// affords few plans of so many steps, so that one start follows from the machine's times; the other
// one is coarse. docs/planner.md has the reasons.
#include <algorithm>
#include <utility>

#include "machine/sharing.hpp"
#include "plan/access.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/candidate/sizes.hpp"
#include "planner/candidate/start/lighten.hpp"
#include "planner/candidate/start/starts.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// Seconds until every device has what takes so long to leave its home once: each passes on what
/// came to it, or, without links between all, each reads the home itself.
double spread_seconds(const Draft& frame, const std::vector<DeviceId>& devices, OperandId operand,
                      double once) {
    std::vector<LinkId> links;
    for (const DeviceId from : devices) {
        const MemoryId own = device_memory(frame.machine, from);
        if (own == frame.problem.home[static_cast<std::size_t>(operand)]) return once;
        for (const DeviceId to : devices) {
            if (from == to) continue;
            links.push_back(find_link(frame.machine, own, device_memory(frame.machine, to)));
            if (links.back() < 0) return once * static_cast<double>(devices.size());
        }
    }
    const auto bytes =
        static_cast<double>(needed_bytes(frame.operands[static_cast<std::size_t>(operand)]));
    const auto others = static_cast<double>(devices.size() - 1);
    return std::max(once, others * bytes / aggregate_bandwidth(frame.machine, links));
}

/// With the time in which all devices have all that they all need.
Rough shared_times(const Draft& frame, const std::vector<DeviceId>& devices) {
    Rough times = rough_times(frame, devices);
    times.a = spread_seconds(frame, devices, operand::A, times.a);
    if (!reads_triangle(frame.problem.routine)) {
        const double b = std::exchange(times.b_beside_a, 0);
        times.a += spread_seconds(frame, devices, operand::B, b);
    }
    times.all = std::max(times.all, times.a);
    return times;
}

double total_of(const Rough& times) { return std::max(times.all, times.compute); }

/// Rank updates: a little more of k goes over all of C than keeps the devices busy while it comes.
void guess_triangle(const Problem& p, const Rough& times, Choice& choice) {
    constexpr double parts = 10, columns = 3, more = 0.1;
    const auto devices = static_cast<double>(choice.devices.size());
    choice.cut = {size_of_part(p.n, columns * devices), size_of_part(p.k, parts)};
    choice.outer = std::min(1.0, rough_front(times) + more);
}

/// trmm and trsm write the blocks of a front one by one, so that all lines can be one. symm writes
/// C of the front at its end: it is as wide as lets that go home while the others are made.
void guess_lines(const Problem& p, const Rough& times, Choice& choice) {
    constexpr double panels = 12, lines = 6;
    const Cut whole = sizes_of(p);
    const auto devices = static_cast<double>(choice.devices.size());
    choice.cut = {size_of_part(whole.edge, panels), size_of_part(whole.other, lines * devices)};
    choice.cut.taper = is_in_place(p.routine) ? 1 : 0;
    choice.outer = is_in_place(p.routine) ? 1
                                          : std::max(rough_front(times),
                                                     times.compute / (times.compute + times.write));
}

/// Eight parts of A: few and large steps, where each of them takes time. All lines are a front; of
/// a rank update the first parts are small, for they must have come before anything is computed.
Candidate coarse_from(const Problem& p, Candidate c) {
    const Cut whole = sizes_of(p);
    const auto devices = static_cast<double>(c.choice.devices.size());
    if (reads_triangle(p.routine)) {
        c.choice.cut = {size_of_part(whole.edge, 8), size_of_part(whole.other, 4 * devices)};
        c.choice.outer = 1;
    } else {
        c.choice.cut = {size_of_part(whole.edge, 2 * devices), size_of_part(whole.other, 8), 3};
    }
    c.policy.pieces = 4;
    return c;
}

}  // namespace

std::optional<Candidate> shared_from(const Draft& frame, const Candidate& start) {
    constexpr double run = 1.5;  // times what it takes at least
    const Problem& p = frame.problem;
    const std::vector<DeviceId>& devices = start.choice.devices;
    if (devices.size() < 2 || !start.policy.chain) return std::nullopt;
    const Rough times = shared_times(frame, devices);
    if (times.compute <= 0) return std::nullopt;
    Candidate c = start;
    c.choice.tall = true;
    c.policy.pieces = is_in_place(p.routine) ? 2 * rough_entries(frame, devices) : 4;
    if (reads_triangle(p.routine))
        guess_lines(p, times, c.choice);
    else
        guess_triangle(p, times, c.choice);
    const double issue = frame.machine.issue;
    if (issue > 0) lighten(frame, c, run * total_of(times) / issue);
    return c;
}

std::vector<Candidate> shared_starts(const Draft& frame, const Candidate& first, double steps) {
    std::vector<Candidate> all;
    const Problem& p = frame.problem;
    if (p.routine == Routine::gemm || !is_read(p, operand::A) || first.choice.fixed_tile)
        return all;
    const auto guessed = shared_from(frame, level3_candidate(frame, first.policy, first.choice));
    if (!guessed) return all;
    all = {*guessed, coarse_from(p, *guessed)};
    for (Candidate& c : all) lighten(frame, c, steps);
    return all;
}

}  // namespace gemmill
