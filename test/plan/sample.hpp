// SPDX-License-Identifier: Apache-2.0
// Plans for tests: a small valid one made by hand, and random ones that need not make sense.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>

#include "gemmill/plan.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

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

inline void append(Plan& plan, Step step, std::initializer_list<StepId> waits) {
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

inline void add_sample_steps(Plan& p, const Problem& problem) {
    constexpr BufferId home = Ref::home;
    const auto fetch = [&](QueueId queue, Ref out, BufferId from, int piece = 0, int pieces = 1) {
        Step step = move_step(p, Opcode::fetch, {out.tile, from}, out, piece, pieces);
        step.queue = queue;
        return step;
    };
    const auto multiply = [&](QueueId queue, Ref out, Keep keep, Ref a, Ref b) {
        return compute_step(p, problem, queue, out, keep, a, b);
    };
    const auto write = [&](QueueId queue, Ref sum) {
        Step step = move_step(p, Opcode::write, sum, {sum.tile, home});
        step.queue = queue;
        return step;
    };
    append(p, fetch(2, {0, 0}, home, 0, 2), {});
    append(p, fetch(2, {0, 0}, home, 1, 2), {});
    append(p, fetch(6, {0, 5}, 0, 0, 2), {0});
    append(p, fetch(6, {0, 5}, 0, 1, 2), {1});
    append(p, fetch(2, {2, 2}, home), {});
    append(p, fetch(4, {4, 7}, home), {});
    append(p, fetch(2, {6, 4}, home), {});
    append(p, multiply(0, {6, 4}, Keep::old, {0, 0}, {2, 2}), {1, 4, 6});
    append(p, multiply(1, {7, 9}, Keep::zero, {0, 5}, {4, 7}), {2, 3, 5});
    append(p, fetch(2, {1, 1}, home), {});
    append(p, fetch(6, {1, 6}, 1), {9});
    append(p, fetch(2, {3, 3}, home), {});
    append(p, fetch(4, {5, 8}, home), {});
    append(p, multiply(0, {6, 4}, Keep::sum, {1, 1}, {3, 3}), {9, 11});
    append(p, multiply(1, {7, 9}, Keep::sum, {1, 6}, {5, 8}), {10, 12});
    append(p, fetch(4, {7, 10}, home), {});
    append(p, add_step(p, 1, {7, 9}, Keep::old, {7, 10}), {15});
    append(p, write(3, {6, 4}), {13});
    append(p, write(5, {7, 9}), {16});
}

/// C = alpha A B + beta C in doubles at home on the host.
inline Problem gemm_problem(index_t m, index_t n, index_t k) {
    Problem p;
    p.m = m, p.n = n, p.k = k;
    p.alpha = p.beta = Factor::general;
    return p;
}

/// C = alpha A B + beta C, 128 x 128 x 128 doubles at home on the host. gpu0 makes the left half of
/// C with C fetched early; gpu1 makes the right half, takes A from gpu0 and adds C late.
inline Plan sample_plan() {
    Plan p;
    p.machine = sample_machine();
    const Problem problem = gemm_problem(128, 128, 128);
    describe(problem, p);
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
    add_sample_steps(p, problem);
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
        operands(p);
        goal(p);
        p.policy = std::vector<std::string>{"best", "", "two words", "a\"b\\c#=\n"}[below(4)];
        for (int i = below(3); i > 0; --i) p.devices.push_back(below(2));
        for (int i = 0; i < 3; ++i) p.limit.push_back(any()), p.slab.push_back(any());
        const int tiles = 1 + below(20), buffers = 1 + below(20);
        for (int i = 0; i < tiles; ++i)
            p.tiles.push_back({below(operands_), any() >> 2, any() >> 2, any() >> 2, any() >> 2});
        for (int i = 0; i < buffers; ++i)
            p.buffers.push_back({below(3), below(tiles), any(), any(), any(), below(steps + 1) - 1,
                                 below(steps + 1) - 1});
        p.queues = {{QueueKind::compute, below(2), below(2) == 1},
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

    template <class E>
    E one_of(int count) {
        return static_cast<E>(below(count));
    }
    Op op() {
        constexpr Op ops[] = {Op::NoTrans, Op::Trans, Op::ConjTrans};
        return ops[below(3)];
    }
    void operands(Plan& p) {
        constexpr const char* names[] = {"A", "B", "C", "pivots", "x_1"};
        for (int i = 0; i < operands_; ++i)
            p.operands.push_back({names[i], one_of<Type>(type_count), any(), any(),
                                  one_of<Triangle>(3), one_of<Structure>(5), below(3), any()});
    }

    void goal(Plan& p) {
        p.goal.target = below(operands_);
        p.goal.keep = one_of<Scale>(6);
        p.goal.solves = below(2) == 0;
        for (int i = below(4); i > 0; --i)
            p.goal.terms.push_back(
                {one_of<Scale>(6), below(operands_), below(operands_), op(), op()});
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
        s.op = one_of<Opcode>(opcode_count);
        s.pieces = static_cast<std::uint16_t>(1 + below(65535));
        s.piece = static_cast<std::uint16_t>(below(s.pieces));
        s.queue = 2 * below(2) + (moves(s) ? 1 : 0);
        s.out = ref();
        const OpInfo& info = info_of(s.op);
        const int inputs = info.least + below(info.most - info.least + 1);
        for (int i = 0; i < inputs; ++i) s.in[static_cast<std::size_t>(i)] = ref();
        fields(s);
        s.wait_begin = static_cast<std::int32_t>(p.waits.size());
        s.wait_count = below(4);
        for (int i = 0; i < s.wait_count; ++i) p.waits.push_back(below(steps));
        p.steps.push_back(s);
    }

    /// Those that the opcode takes.
    void fields(Step& s) {
        const OpInfo& info = info_of(s.op);
        if (info.weight) s.weight = one_of<Scale>(6);
        if (info.keep) s.keep = one_of<Scale>(6);
        if (info.op_a) s.op_a = op();
        if (info.op_b) s.op_b = op();
        if (info.side) s.side = below(2) == 0 ? Side::Left : Side::Right;
        if (info.triangle) s.triangle = one_of<Triangle>(3);
        if (info.diag) s.diag = below(2) == 0 ? Diag::NonUnit : Diag::Unit;
    }

    static constexpr int operands_ = 5;
    std::mt19937 random_;
};

}  // namespace gemmill::test
