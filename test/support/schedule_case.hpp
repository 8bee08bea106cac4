// SPDX-License-Identifier: Apache-2.0
// Random tasks on random machines, for the scheduler.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "schedule/options.hpp"
#include "schedule/queue/deal.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"
#include "task/tasks.hpp"

namespace gemmill::test {

inline Plan frame_of(const Problem& problem, const Machine& machine) {
    Plan frame;
    frame.machine = machine;
    describe(problem, frame);
    frame.policy = "dynamic";
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        frame.devices.push_back(static_cast<DeviceId>(d));
    for (const Memory& memory : machine.memories) frame.limit.push_back(memory.capacity);
    return frame;
}

inline Problem any_routine(Random& random, const Machine& machine, index_t largest) {
    const Routine routine = random.chance(15) ? Routine::gemm : random.pick(level3_routines);
    if (routine == Routine::gemm) return random_problem(random, machine, largest);
    return random_level3(random, routine, largest, std::ssize(machine.memories));
}

inline ScheduleOptions any_switches(Random& random) {
    ScheduleOptions o;
    const auto flip = [&](bool& flag) { flag = flag != random.chance(15); };
    for (bool* flag : {&o.l1, &o.l2, &o.in_flight, &o.eta, &o.spread_reads, &o.late, &o.halves,
                       &o.locality, &o.stealing, &o.keep_new, &o.squares, &o.leave_last, &o.chains})
        flip(*flag);
    o.piece = random.between(0, 200);
    o.streams = static_cast<int>(random.between(1, 4));
    o.station = static_cast<int>(random.between(1, 6));
    o.active = static_cast<int>(random.between(1, 5));
    o.window = static_cast<int>(random.between(1, 10));
    o.fetches = static_cast<int>(random.between(1, 10));
    o.look = static_cast<int>(random.between(1, 20));
    o.ahead = static_cast<int>(random.between(1, 20));
    return o;
}

struct ScheduleCase {
    Problem problem;
    TaskTiles tiles;
    Plan frame;
    Tasks tasks;
    ScheduleOptions options;
    Deal deal;  ///< in half of all cases

    std::string text() const {
        std::string limits;
        for (const auto limit : frame.limit) limits += fmt::format(" {}", limit);
        return fmt::format("; {} tiles {} {} {} on {} limits{}", describe(problem), tiles.rows,
                           tiles.cols, tiles.depth, frame.machine.name, limits);
    }
};

/// Some tasks, to any device, in any order.
inline Deal any_deal(Random& random, const ScheduleCase& x) {
    Deal deal(x.frame.devices.size());
    const auto percent = static_cast<int>(random.between(0, 100));
    for (std::size_t t = 0; t < x.tasks.tasks.size(); ++t) {
        std::vector<TaskId>& lane = random.pick(deal);
        if (!random.chance(percent)) continue;
        lane.push_back(static_cast<TaskId>(t));
        std::swap(random.pick(lane), lane.back());
    }
    return deal;
}

/// A third with little room, some on fewer devices than there are, some padded.
inline ScheduleCase any_case(Random& random, index_t largest = 20) {
    ScheduleCase x;
    const Machine machine = random_machine(random);
    x.problem = any_routine(random, machine, largest);
    const auto size = [&] { return random.between(1 + largest / 8, largest); };
    x.tiles = {size(), size(), size(), 0, random.chance(30)};
    x.frame = frame_of(x.problem, machine);
    x.tasks = tasks_of(x.problem, x.tiles);
    if (random.chance(35))
        for (std::size_t m = 1; m < x.frame.limit.size(); ++m)
            x.frame.limit[m] = random.between(256 * 8, 256 * 6 * largest);
    if (random.chance(30))
        x.frame.devices.resize(
            static_cast<std::size_t>(random.between(1, std::ssize(x.frame.devices))));
    if (random.chance(30)) x.frame.grain = random.between(2, 5);
    x.options = random.chance(50) ? ScheduleOptions{} : any_switches(random);
    if (random.chance(50)) x.deal = any_deal(random, x);
    return x;
}

}  // namespace gemmill::test
