// SPDX-License-Identifier: Apache-2.0
#include "backend/conformance.hpp"

#include <set>

#include "exec/run.hpp"
#include "support/failing.hpp"
#include "support/rich_plan.hpp"
#include "task/describe.hpp"

namespace gemmill::test {

namespace {

/// Queues and waits as the reported times show them.
::testing::AssertionResult in_order(const Plan& plan, const Timeline& times) {
    std::vector<StepId> last(plan.queues.size(), -1);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        if (times[i].begin < 0 || times[i].end < times[i].begin)
            return ::testing::AssertionFailure() << "step " << i << " ends before it begins";
        StepId& previous = last[static_cast<std::size_t>(step.queue)];
        std::vector<StepId> before(waits_of(plan, step).begin(), waits_of(plan, step).end());
        if (previous >= 0) before.push_back(previous);
        for (const StepId b : before)
            if (times[static_cast<std::size_t>(b)].end > times[i].begin)
                return ::testing::AssertionFailure()
                       << "step " << i << " begins before " << b << " ends";
        previous = static_cast<StepId>(i);
    }
    return ::testing::AssertionSuccess();
}

TEST_P(Conformance, results_are_right_and_times_in_order) {
    Random random(1);
    for (int devices = 1; devices <= 4; ++devices) {
        const auto backend = make(devices);
        for (int i = 0; i < affordable(60); ++i) {
            const Problem p = random_problem(random, backend->machine(), 20);
            Options options;
            options.tile = random.chance(30) ? 0 : random.between(3, 9);
            options.policy = random.chance(80) ? "best" : "naive";
            const Plan plan = make_plan(p, backend->machine(), options);
            Homes homes(*backend);
            Operands x(case_of(p, random), random, homes.of(p, random));
            x.allow_roundings(roundings(plan));
            const Timeline times = run(plan, *backend, x.binding());
            ASSERT_TRUE(x.check()) << to_string(plan);
            ASSERT_TRUE(in_order(plan, times)) << to_string(plan);
        }
    }
}

TEST_P(Conformance, pieces_chains_and_partial_sums) {
    Random random(2);
    const auto backend = make(2);
    for (int i = 0; i < affordable(50); ++i) {
        const Plan plan = rich_plan(random, backend->machine());
        ASSERT_TRUE(validate(plan).empty()) << validate(plan).front();
        Homes homes(*backend);
        Operands x(case_of(problem_of(plan), random), random, homes.of(problem_of(plan), random));
        const Timeline times = run(plan, *backend, x.binding());
        ASSERT_TRUE(x.check()) << to_string(plan);
        ASSERT_TRUE(in_order(plan, times)) << to_string(plan);
    }
}

TEST_P(Conformance, operands_may_live_on_devices) {
    Random random(3);
    const auto backend = make(3);
    for (int i = 0; i < affordable(60); ++i) {
        const Problem p = random_problem(random, backend->machine(), 15);
        Homes homes(*backend);
        const Operands::Places places = homes.of(p, random);
        Operands x(case_of(p, random), random, places);
        EXPECT_EQ(backend->locate(x.c().data()), p.home[2]);
        Options options;
        options.tile = 4;
        const Plan plan = make_plan(p, backend->machine(), options);
        x.allow_roundings(roundings(plan));
        run(plan, *backend, x.binding());
        ASSERT_TRUE(x.check()) << to_string(plan);
    }
}

/// Odd sizes; some are large enough to be cut into strips.
Problem odd_problem(Random& random, const Machine& machine) {
    Problem p = random_problem(random, machine, 20);
    const auto odd = [&] { return 2 * random.between(0, random.chance(15) ? 150 : 20) + 1; };
    p.m = odd(), p.n = odd(), p.k = odd();
    const auto memories = static_cast<index_t>(machine.memories.size());
    for (MemoryId& home : p.home) home = static_cast<MemoryId>(random.below(memories));
    return p;
}

/// Runs a plan twice on operands where the problem says they live.
void run_twice(Backend& backend, const Problem& p, const Options& options, Random& random) {
    Homes homes(backend);
    const Operands::Places places = homes.of(p, random);
    Operands x(case_of(p, random), random, places);
    const Plan plan = make_plan(p, backend.machine(), options);
    x.allow_roundings(roundings(plan));
    run(plan, backend, x.binding());
    EXPECT_TRUE(x.check()) << to_string(plan);
    const auto bits = x.c().elements();
    x.reset();
    run(plan, backend, x.binding());
    x.fetch();
    EXPECT_EQ(x.c().elements(), bits) << to_string(plan);
}

TEST_P(Conformance, every_policy_gives_the_right_result_twice) {
    Random random(8);
    for (int devices = 2; devices <= 5; ++devices) {
        const auto backend = make(devices);
        for (const Policy& policy : policies())
            for (int i = 0; i < affordable(8) && !HasFailure(); ++i) {
                Options options;
                options.policy = policy.name;
                if (random.chance(50)) options.tile = random.between(7, 40);
                run_twice(*backend, odd_problem(random, backend->machine()), options, random);
            }
    }
}

TEST_P(Conformance, every_step_completes_once) {
    Random random(4);
    const auto backend = make(2);
    const Plan plan = small_plan(backend->machine());
    Operands x(case_of(problem_of(plan), random), random);
    const auto session = backend->open(plan, x.binding());
    for (StepId id = 0; id < std::ssize(plan.steps); ++id) session->submit(id);
    std::multiset<StepId> ended;
    while (const auto done = session->next()) {
        EXPECT_EQ(done->code, Code::ok) << done->text;
        ended.insert(done->step);
    }
    EXPECT_EQ(ended.size(), plan.steps.size());
    for (StepId id = 0; id < std::ssize(plan.steps); ++id) EXPECT_EQ(ended.count(id), 1U) << id;
    EXPECT_FALSE(session->next().has_value());
}

TEST_P(Conformance, nothing_submitted_is_nothing_to_wait_for) {
    const auto backend = make(1);
    const Plan plan = small_plan(backend->machine());
    Random random(5);
    Operands x(case_of(problem_of(plan), random), random);
    EXPECT_FALSE(backend->open(plan, x.binding())->next().has_value());
    EXPECT_TRUE(x.c().unchanged());
}

/// One step at a time, with the plan growing step by step: how a dynamic scheduler works. Until a
/// tile of C is written it is intact.
TEST_P(Conformance, steps_can_be_decided_one_by_one) {
    Random random(6);
    const auto backend = make(3);
    const Plan whole = small_plan(backend->machine());
    Plan plan = whole;
    plan.steps.clear();
    plan.waits.clear();
    Operands x(case_of(problem_of(whole), random), random);
    const auto session = backend->open(plan, x.binding());
    double last_end = 0;
    for (StepId id = 0; id < std::ssize(whole.steps); ++id) {
        Step step = whole.steps[static_cast<std::size_t>(id)];
        const auto waits = waits_of(whole, step);
        step.wait_begin = static_cast<std::int32_t>(plan.waits.size());
        plan.waits.insert(plan.waits.end(), waits.begin(), waits.end());
        plan.steps.push_back(step);
        if (step.out.buffer == Ref::home) {
            ASSERT_TRUE(x.old(plan.tiles[static_cast<std::size_t>(step.out.tile)]));
        }
        session->submit(id);
        const auto done = session->next();
        ASSERT_TRUE(done.has_value());
        EXPECT_EQ(done->step, id);
        EXPECT_GE(done->time.begin, last_end);
        last_end = done->time.end;
        EXPECT_FALSE(session->next().has_value());
    }
    EXPECT_TRUE(x.check());
}

TEST_P(Conformance, a_session_closed_early_leaves_nothing_running) {
    Random random(7);
    const auto backend = make(3);
    const Plan plan = small_plan(backend->machine(), 20, 5);
    const auto steps = static_cast<index_t>(plan.steps.size());
    for (int i = 0; i < affordable(40); ++i) {
        Operands x(case_of(problem_of(plan), random), random);
        {
            const auto session = backend->open(plan, x.binding());
            for (StepId id = 0; id < steps; ++id) session->submit(id);
            for (index_t taken = random.below(steps); taken > 0; --taken) session->next();
        }
        const auto after = x.c().elements();
        for (const Tile& t : plan.tiles)
            if (t.operand == operand::C) {
                ASSERT_TRUE(x.old(t) || x.right(t)) << i;
            }
        Operands y(case_of(problem_of(plan), random), random);
        run(plan, *backend, y.binding());
        ASSERT_TRUE(y.check()) << "the run after";
        ASSERT_EQ(x.c().elements(), after) << "C changed after its session was closed";
        ASSERT_TRUE(x.check_surroundings());
    }
}

TEST_P(Conformance, the_same_plan_gives_the_same_bits) {
    Random random(8);
    const auto backend = make(3);
    const Plan plan = small_plan(backend->machine(), 30, 8);
    Operands x(case_of(problem_of(plan), random), random);
    run(plan, *backend, x.binding());
    const auto first = x.c().elements();
    for (int i = 0; i < affordable(20); ++i) {
        x.reset();
        run(plan, *backend, x.binding());
        ASSERT_EQ(x.c().elements(), first) << "run " << i;
    }
}

TEST_P(Conformance, pointers_are_located) {
    const auto backend = make(2);
    int on_host = 0;
    EXPECT_EQ(backend->locate(&on_host), 0);
    EXPECT_EQ(backend->locate(nullptr), 0);
    auto* first = static_cast<std::byte*>(backend->allocate(1, 1000));
    auto* second = static_cast<std::byte*>(backend->allocate(2, 1));
    EXPECT_EQ(backend->locate(first), 1);
    EXPECT_EQ(backend->locate(first + 999), 1);
    EXPECT_NE(backend->locate(first + 1000), 1);
    EXPECT_EQ(backend->locate(second), 2);
    backend->release(first);
    EXPECT_EQ(backend->locate(first), 0);
    EXPECT_EQ(backend->locate(second), 2);
    backend->release(nullptr);
    backend->release(&on_host);
    EXPECT_EQ(backend->locate(second), 2);
}

TEST_P(Conformance, too_little_memory_is_an_error_and_nothing_is_held) {
    if (!GetParam().make_with_memory) GTEST_SKIP() << "the backend has memory of its own";
    Random random(9);
    CountedMemory memory;
    const auto backend = GetParam().make_with_memory(3, memory.allocate());
    const Plan plan = small_plan(backend->machine());
    Operands x(case_of(problem_of(plan), random), random);
    for (int fails = 0; fails < 3; ++fails) {
        memory.calls = 0;
        memory.fails = fails;
        try {
            run(plan, *backend, x.binding());
            ADD_FAILURE() << "allocation " << fails << " did not fail";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
        }
        EXPECT_EQ(memory.bytes_now, 0);
        EXPECT_TRUE(x.c().unchanged());
    }
    memory.fails = never;
    run(plan, *backend, x.binding());
    EXPECT_TRUE(x.check());
}

TEST_P(Conformance, memory_used_is_what_the_plan_says) {
    if (!GetParam().make_with_memory) GTEST_SKIP() << "the backend has memory of its own";
    Random random(10);
    CountedMemory memory;
    const auto backend = GetParam().make_with_memory(3, memory.allocate());
    Problem p;
    p.m = p.n = p.k = 40;
    p.beta = Factor::general;
    Options options;
    options.device_memory = 4096;
    const Plan plan = make_plan(p, backend->machine(), options);
    Operands x(case_of(p, random), random);
    run(plan, *backend, x.binding());
    std::int64_t slabs = 0;
    for (const std::int64_t slab : plan.slab) slabs += slab;
    EXPECT_EQ(memory.bytes_peak, slabs);
    EXPECT_LE(memory.bytes_peak, 3 * options.device_memory);
    EXPECT_TRUE(x.check());
}

TEST_P(Conformance, a_failed_kernel_stops_what_needs_it) {
    if (!GetParam().make_with_kernels) GTEST_SKIP() << "the backend has kernels of its own";
    Random random(11);
    const auto backend = GetParam().make_with_kernels(2, breakable_kernels());
    const Plan plan = small_plan(backend->machine());
    for (int fails = 0; fails < 6; ++fails) {
        Operands x(case_of(problem_of(plan), random), random);
        kernel_calls_left = fails;
        std::set<StepId> ended;
        StepId failed = -1;
        {
            const auto session = backend->open(plan, x.binding());
            for (StepId id = 0; id < std::ssize(plan.steps); ++id) session->submit(id);
            while (const auto done = session->next()) {
                if (done->code == Code::ok) ended.insert(done->step);
                if (done->code != Code::ok) failed = done->step;
                EXPECT_TRUE(done->code == Code::ok || done->code == Code::failed_step);
            }
        }
        kernel_calls_left = never;
        ASSERT_GE(failed, 0);
        for (const StepId id : ended)
            for (const StepId wait : waits_of(plan, plan.steps[static_cast<std::size_t>(id)]))
                EXPECT_TRUE(ended.contains(wait)) << id << " ran without " << wait;
        Operands y(case_of(problem_of(plan), random), random);
        run(plan, *backend, y.binding());
        ASSERT_TRUE(y.check()) << "the run after";
    }
}

}  // namespace
}  // namespace gemmill::test
