// SPDX-License-Identifier: Apache-2.0
#include "plan/draw/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

template <class Part>
bool has(const std::vector<Part>& parts, std::int32_t id) {
    return id >= 0 && id < std::ssize(parts);
}

void check_queues(const Plan& plan) {
    for (const Queue& queue : plan.queues) {
        const bool there = queue.kind == QueueKind::compute ? has(plan.machine.devices, queue.index)
                                                            : has(plan.machine.links, queue.index);
        require(there, Code::bad_argument, "queues on the machine",
                "the plan has a queue of a device or link that its machine lacks");
    }
}

void check_timeline(const Plan& plan, const Timeline& timeline) {
    require(timeline.size() == plan.steps.size(), Code::bad_argument, "a time for each step",
            fmt::format("the timeline has {} times, the plan {} steps", timeline.size(),
                        plan.steps.size()));
    constexpr double century = 3.2e9;
    for (StepId id = 0; const Step& step : plan.steps) {
        require(has(plan.queues, step.queue), Code::bad_argument, "queue < queues",
                fmt::format("step {} is on queue {}, which is not there", id, step.queue));
        const std::int64_t waits_end = std::int64_t{step.wait_begin} + step.wait_count;
        require(step.wait_begin >= 0 && step.wait_count >= 0 && waits_end <= std::ssize(plan.waits),
                Code::bad_argument, "waits in the plan",
                fmt::format("step {} has waits outside the plan's", id));
        const StepTime& time = timeline[id];
        require(std::abs(time.begin) < century && std::abs(time.end) < century, Code::bad_argument,
                "a time", fmt::format("step {} has a time that is none", id));
        ++id;
    }
}

bool is_device(const Machine& machine, MemoryId id) {
    return has(machine.memories, id) && machine.memories[id].kind == MemoryKind::device;
}

/// Where a queue's row stands: the memory of its device, then compute, into, out of.
struct Position {
    MemoryId memory = -1;
    int part = 0;
    MemoryId other = -1;
};

Position position_of(const Machine& machine, const Queue& queue) {
    if (queue.kind == QueueKind::compute) return {machine.devices[queue.index].memory, 0, -1};
    const Link& link = machine.links[queue.index];
    const bool out = !is_device(machine, link.to) && is_device(machine, link.from);
    return out ? Position{link.from, 2, link.to} : Position{link.to, 1, link.from};
}

/// Memories in the order of their devices; those without come last.
std::vector<int> memory_ranks(const Machine& machine) {
    std::vector<int> ranks(machine.memories.size(), INT32_MAX);
    for (int rank = 0; const Device& device : machine.devices) {
        if (has(machine.memories, device.memory))
            ranks[device.memory] = std::min(ranks[device.memory], rank);
        ++rank;
    }
    return ranks;
}

std::string group_name(const Machine& machine, MemoryId memory) {
    for (const Device& device : machine.devices)
        if (device.memory == memory) return device.name;
    return has(machine.memories, memory) ? machine.memories[memory].name : "nowhere";
}

std::vector<QueueId> ordered_queues(const Plan& plan) {
    const std::vector<int> ranks = memory_ranks(plan.machine);
    const auto key = [&](QueueId id) {
        const Position p = position_of(plan.machine, plan.queues[id]);
        const int rank = has(ranks, p.memory) ? ranks[p.memory] : INT32_MAX;
        return std::tuple(rank, p.memory, p.part, p.other, id);
    };
    std::vector<QueueId> queues(plan.queues.size());
    for (QueueId id = 0; QueueId & queue : queues) queue = id++;
    std::ranges::sort(queues, {}, key);
    return queues;
}

std::vector<std::vector<StepId>> steps_by_queue(const Plan& plan, const Timeline& timeline) {
    std::vector<std::vector<StepId>> steps(plan.queues.size());
    for (StepId id = 0; const Step& step : plan.steps) steps[step.queue].push_back(id++);
    for (auto& list : steps)
        std::ranges::stable_sort(list, {}, [&](StepId id) { return timeline[id].begin; });
    return steps;
}

void add_rows(Picture& picture, const Plan& plan, const Timeline& timeline) {
    auto steps = steps_by_queue(plan, timeline);
    MemoryId last = -2;
    for (const QueueId id : ordered_queues(plan)) {
        if (steps[id].empty()) continue;
        const MemoryId memory = position_of(plan.machine, plan.queues[id]).memory;
        if (memory != last) picture.groups.push_back(group_name(plan.machine, memory));
        last = memory;
        const int group = static_cast<int>(picture.groups.size()) - 1;
        picture.rows.push_back({id, group, name_of(plan, plan.queues[id]), std::move(steps[id])});
    }
}

std::string title_of(const Plan& plan) {
    std::string sizes;
    for (OperandId id = 0; const Operand& o : plan.operands) {
        if (is_read(plan.goal, id) || id == plan.goal.target)
            sizes += fmt::format(", {} {} x {}", o.name, o.rows, o.cols);
        ++id;
    }
    return fmt::format("{} ({}){}, on {}, {} device{}, policy {}", formula_of(plan),
                       letter_of(target_of(plan).type), sizes, plan.machine.name,
                       plan.devices.size(), plan.devices.size() == 1 ? "" : "s", plan.policy);
}

std::string result_of(const Plan& plan, double end) {
    const double flops = flops_of(plan.operands, plan.goal);
    const double bound = plan.prediction.bound_seconds;
    std::string text = fmt::format("makespan {}", human_seconds(end));
    if (end > 0) text += fmt::format(", {:.3g} TFLOP/s", flops / end * 1e-12);
    if (bound > 0) text += fmt::format("; bound {}", human_seconds(bound));
    if (bound > 0 && end > 0) text += fmt::format(" ({:.0f} %)", bound / end * 100);
    return text;
}

}  // namespace

Picture picture_of(const Plan& plan, const Timeline& timeline) {
    check_queues(plan);
    check_timeline(plan, timeline);
    Picture picture;
    for (const StepTime& time : timeline) picture.end = std::max(picture.end, time.end);
    add_rows(picture, plan, timeline);
    picture.title = title_of(plan);
    picture.result = result_of(plan, picture.end);
    return picture;
}

std::size_t paint_of(const Plan& plan, const Step& step) {
    constexpr std::size_t fetches = 3, add = 4, write = 5, mirror = 6;
    switch (step.op) {
        case Opcode::fetch:
            if (!has(plan.tiles, step.out.tile)) return 0;
            return static_cast<std::size_t>(plan.tiles[step.out.tile].operand) % fetches;
        case Opcode::add:
            return add;
        case Opcode::write:
            return write;
        case Opcode::mirror:
            return mirror;
        default:
            return fetches;
    }
}

std::string tile_name(const Plan& plan, const Step& step) {
    if (!has(plan.tiles, step.out.tile)) return "no tile";
    return name_of(plan, plan.tiles[step.out.tile]);
}

std::int64_t bytes_over_link(const Plan& plan, const Step& step) {
    if (!has(plan.tiles, step.out.tile) || step.pieces == 0) return 0;
    return bytes_moved(plan, step);
}

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

}  // namespace gemmill
