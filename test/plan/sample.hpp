// SPDX-License-Identifier: Apache-2.0
// Plans for tests: a small valid one made by hand, and random ones that need not make sense.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>

#include "gemmill/plan.hpp"

namespace gemmill::test {

/// Host, gpu0 and gpu1; links between host and each, and from gpu0 to gpu1.
inline Machine sample_machine() {
    Machine m;
    m.name = "sample";
    m.origin = "made up";
    m.issue = 1e-6;
    m.memories = {{"host", MemoryKind::host, 1 << 30, ""},
                  {"gpu0", MemoryKind::device, 1 << 20, "a guess"},
                  {"gpu1", MemoryKind::device, 1 << 20, ""}};
    Device gpu;
    gpu.queues = 2;
    gpu.launch = 5e-6;
    gpu.bandwidth = 1e12;
    gpu.peak[static_cast<std::size_t>(Type::d)] = 7e12;
    m.devices = {gpu, gpu};
    for (int i = 0; i < 2; ++i) {
        m.devices[i].name = "gpu" + std::to_string(i);
        m.devices[i].memory = i + 1;
    }
    m.resources = {{"pcie", 2.4e10, ""}};
    m.links = {{0, 1, 1.2e10, 1e-5, 0, {0}, ""},
               {1, 0, 1.2e10, 1e-5, 0, {0}, ""},
               {0, 2, 1.2e10, 1e-5, 0, {0}, ""},
               {2, 0, 1.2e10, 1e-5, 0, {0}, ""},
               {1, 2, 5e10, 5e-6, 0, {}, ""}};
    return m;
}

inline void add_step(Plan& plan, Step step, std::initializer_list<StepId> waits) {
    step.wait_begin = static_cast<std::int32_t>(plan.waits.size());
    step.wait_count = static_cast<std::int32_t>(waits.size());
    plan.waits.insert(plan.waits.end(), waits);
    plan.steps.push_back(step);
}

/// Makes a buffer's life what the steps use.
inline void set_lives(Plan& plan) {
    const auto use = [&](const Ref& ref, StepId id) {
        if (ref.buffer == Ref::home) return;
        Buffer& buffer = plan.buffers[ref.buffer];
        if (buffer.first < 0) buffer.first = id;
        buffer.last = std::max(buffer.last, id);
    };
    for (StepId id = 0; const Step& step : plan.steps) {
        for (const Ref& ref : {step.out, step.in[0], step.in[1]}) use(ref, id);
        ++id;
    }
}

inline void add_sample_steps(Plan& p) {
    using enum StepKind;
    const auto fetch_step = [](QueueId queue, Ref out, BufferId from, int piece, int pieces) {
        return Step{fetch,
                    Keep::zero,
                    static_cast<std::uint16_t>(piece),
                    static_cast<std::uint16_t>(pieces),
                    queue,
                    out,
                    {{{out.tile, from}, {}}},
                    0,
                    0};
    };
    constexpr BufferId home = Ref::home;
    add_step(p, fetch_step(2, {0, 0}, home, 0, 2), {});
    add_step(p, fetch_step(2, {0, 0}, home, 1, 2), {});
    add_step(p, fetch_step(6, {0, 5}, 0, 0, 2), {0});
    add_step(p, fetch_step(6, {0, 5}, 0, 1, 2), {1});
    add_step(p, fetch_step(2, {2, 2}, home, 0, 1), {});
    add_step(p, fetch_step(4, {4, 7}, home, 0, 1), {});
    add_step(p, fetch_step(2, {6, 4}, home, 0, 1), {});
    add_step(p, {compute, Keep::beta, 0, 1, 0, {6, 4}, {{{0, 0}, {2, 2}}}, 0, 0}, {1, 4, 6});
    add_step(p, {compute, Keep::zero, 0, 1, 1, {7, 9}, {{{0, 5}, {4, 7}}}, 0, 0}, {2, 3, 5});
    add_step(p, fetch_step(2, {1, 1}, home, 0, 1), {});
    add_step(p, fetch_step(6, {1, 6}, 1, 0, 1), {9});
    add_step(p, fetch_step(2, {3, 3}, home, 0, 1), {});
    add_step(p, fetch_step(4, {5, 8}, home, 0, 1), {});
    add_step(p, {compute, Keep::one, 0, 1, 0, {6, 4}, {{{1, 1}, {3, 3}}}, 0, 0}, {9, 11});
    add_step(p, {compute, Keep::one, 0, 1, 1, {7, 9}, {{{1, 6}, {5, 8}}}, 0, 0}, {10, 12});
    add_step(p, fetch_step(4, {7, 10}, home, 0, 1), {});
    add_step(p, {add, Keep::beta, 0, 1, 1, {7, 9}, {{{7, 10}, {}}}, 0, 0}, {15});
    add_step(p, {write, Keep::zero, 0, 1, 3, {6, home}, {{{6, 4}, {}}}, 0, 0}, {13});
    add_step(p, {write, Keep::zero, 0, 1, 5, {7, home}, {{{7, 9}, {}}}, 0, 0}, {16});
}

/// C = alpha A B + beta C, 128 x 128 x 128 doubles at home on the host. gpu0 makes the left half of
/// C with C fetched early; gpu1 makes the right half, takes A from gpu0 and adds C late.
inline Plan sample_plan() {
    Plan p;
    p.machine = sample_machine();
    p.problem.m = p.problem.n = p.problem.k = 128;
    p.problem.alpha = p.problem.beta = Factor::general;
    p.policy = "by hand";
    p.devices = {0, 1};
    p.limit = {0, 1 << 20, 1 << 20};
    p.slab = {0, 4 * 65536, 5 * 65536};
    p.tiles = {{operand::A, 0, 0, 128, 64}, {operand::A, 0, 64, 128, 64},
               {operand::B, 0, 0, 64, 64},  {operand::B, 64, 0, 64, 64},
               {operand::B, 0, 64, 64, 64}, {operand::B, 64, 64, 64, 64},
               {operand::C, 0, 0, 128, 64}, {operand::C, 0, 64, 128, 64}};
    p.queues = {{QueueKind::compute, 0},  {QueueKind::compute, 1},  {QueueKind::transfer, 0},
                {QueueKind::transfer, 1}, {QueueKind::transfer, 2}, {QueueKind::transfer, 3},
                {QueueKind::transfer, 4}};
    constexpr std::int64_t big = 65536, small = 32768;
    p.buffers = {{1, 0, 0, big, 128, -1, -1},
                 {1, 1, big, big, 128, -1, -1},
                 {1, 2, 2 * big, small, 64, -1, -1},
                 {1, 3, 2 * big + small, small, 64, -1, -1},
                 {1, 6, 3 * big, big, 128, -1, -1},
                 {2, 0, 0, big, 128, -1, -1},
                 {2, 1, big, big, 128, -1, -1},
                 {2, 4, 2 * big, small, 64, -1, -1},
                 {2, 5, 2 * big + small, small, 64, -1, -1},
                 {2, 7, 3 * big, big, 128, -1, -1},
                 {2, 7, 4 * big, big, 128, -1, -1}};
    add_sample_steps(p);
    set_lives(p);
    p.prediction = {1.25e-4, 9.1e-5, {2e-5, 3.3e-5}, {262144, 65536, 131072, 65536, 131072}};
    return p;
}

/// Each step takes 10 us on its queue and starts when its waits have ended.
inline Timeline sample_timeline(const Plan& plan) {
    Timeline times;
    std::vector<double> free(plan.queues.size(), 0.0);
    for (const Step& step : plan.steps) {
        double begin = free[step.queue];
        for (const StepId wait : waits_of(plan, step)) begin = std::max(begin, times[wait].end);
        times.push_back({begin, begin + 1e-5});
        free[step.queue] = begin + 1e-5;
    }
    return times;
}

/// A plan whose references all exist but mean nothing.
class RandomPlan {
  public:
    explicit RandomPlan(unsigned seed) : random_(seed) {}

    Plan make(int steps) {
        Plan p;
        p.machine = sample_machine();
        p.machine.links.erase(p.machine.links.begin() + below(5));
        problem(p);
        p.policy = std::vector<std::string>{"best", "", "two words", "a\"b\\c#=\n"}[below(4)];
        for (int i = below(3); i > 0; --i) p.devices.push_back(below(2));
        for (int i = 0; i < 3; ++i) p.limit.push_back(any()), p.slab.push_back(any());
        const int tiles = 1 + below(20), buffers = 1 + below(20);
        for (int i = 0; i < tiles; ++i)
            p.tiles.push_back(
                {static_cast<Operand>(below(3)), any() >> 2, any() >> 2, any() >> 2, any() >> 2});
        for (int i = 0; i < buffers; ++i)
            p.buffers.push_back({below(3), below(tiles), any(), any(), any(), below(steps + 1) - 1,
                                 below(steps + 1) - 1});
        p.queues = {{QueueKind::compute, below(2)},
                    {QueueKind::transfer, below(4)},
                    {QueueKind::compute, below(2)},
                    {QueueKind::transfer, below(4)}};
        for (int i = 0; i < steps; ++i) add_random_step(p, steps);
        prediction(p);
        return p;
    }

  private:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    std::int64_t any() {
        return static_cast<std::int64_t>(((std::uint64_t{random_()} << 32 | random_()) >> 1) >>
                                         below(63));
    }

    void problem(Plan& p) {
        constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
        p.problem.type = static_cast<Type>(below(type_count));
        p.problem.op_a = ops[below(3)];
        p.problem.op_b = ops[below(3)];
        p.problem.m = any(), p.problem.n = any(), p.problem.k = any();
        p.problem.alpha = static_cast<Factor>(below(3));
        p.problem.beta = static_cast<Factor>(below(3));
        for (MemoryId& home : p.problem.home) home = below(3);
    }

    void prediction(Plan& p) {
        const auto number = [&] { return static_cast<double>(any()) / 3e9; };
        p.prediction.seconds = number();
        p.prediction.bound_seconds = number();
        if (below(2) == 0) return;
        p.prediction.device_busy = {number(), number()};
        p.prediction.link_bytes = {any(), any(), any(), any()};
    }

    void add_random_step(Plan& p, int steps) {
        const auto ref = [&] {
            return Ref{below(static_cast<int>(p.tiles.size())),
                       below(static_cast<int>(p.buffers.size()) + 1) - 1};
        };
        Step s;
        s.kind = static_cast<StepKind>(below(4));
        s.keep = static_cast<Keep>(below(3));
        s.pieces = static_cast<std::uint16_t>(1 + below(65535));
        s.piece = static_cast<std::uint16_t>(below(s.pieces));
        const bool kernel = s.kind == StepKind::compute || s.kind == Opcode::add;
        s.queue = 2 * below(2) + (kernel ? 0 : 1);
        s.out = ref();
        if (s.kind != StepKind::compute)
            s.in[0] = ref();
        else if (below(3) != 0)
            s.in = {ref(), ref()};
        s.wait_begin = static_cast<std::int32_t>(p.waits.size());
        s.wait_count = below(4);
        for (int i = 0; i < s.wait_count; ++i) p.waits.push_back(below(steps));
        p.steps.push_back(s);
    }

    std::mt19937 random_;
};

}  // namespace gemmill::test
