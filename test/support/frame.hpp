// SPDX-License-Identifier: Apache-2.0
// What the planner starts from: a plan with its machine, problem, devices and limits.
#pragma once

#include "planner/candidate/start/starts.hpp"
#include "planner/choice.hpp"
#include "planner/draft.hpp"
#include "task/describe.hpp"

namespace gemmill::test {

/// All devices and all of their memory.
inline Draft frame_of(const Machine& machine, const Problem& problem) {
    Draft frame;
    frame.machine = machine;
    frame.problem = problem;
    describe(problem, frame);
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        frame.devices.push_back(static_cast<DeviceId>(d));
    for (const Memory& memory : machine.memories) frame.limit.push_back(memory.capacity);
    return frame;
}

/// Policy best on the first device, with so much of each device's memory; 0: all of it.
inline Draft frame_of_one(const Machine& machine, const Problem& problem, std::int64_t cap = 0) {
    Draft frame = frame_of(machine, problem);
    frame.policy = "best";
    frame.devices = {0};
    for (std::size_t i = 0; cap > 0 && i < machine.memories.size(); ++i)
        if (machine.memories[i].kind == MemoryKind::device) frame.limit[i] = cap;
    return frame;
}

/// m x m x k doubles with general alpha and beta.
inline Problem problem_of(index_t m, index_t k, std::array<MemoryId, 3> home) {
    Problem p;
    p.m = p.n = m;
    p.k = k;
    p.alpha = p.beta = Factor::general;
    p.home = home;
    return p;
}

/// Policy best on all devices.
inline Candidate start_for(const Draft& frame) {
    Candidate start;
    start.policy = resolve_policy(Options{});
    start.choice.devices = frame.devices;
    return start;
}

/// The same in coarse strips.
inline std::vector<Candidate> strips_for(const Draft& frame) {
    return coarse_strips(frame, start_for(frame));
}

}  // namespace gemmill::test
