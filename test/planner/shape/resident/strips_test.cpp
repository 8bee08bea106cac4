// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "model/engine.hpp"
#include "plan/access.hpp"
#include "support/frame.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Policy strip_policy() { return resolve_policy(Options{}); }

Problem square(index_t n, MemoryId home = 0) { return problem_of(n, n, {home, home, home}); }

Choice choice_of(const Draft& frame, const Strips& strips) {
    Choice choice;
    choice.devices = frame.devices;
    choice.grid = {1, static_cast<index_t>(frame.devices.size())};
    choice.strips = strips;
    return choice;
}

Choice random_choice(Random& random, const Draft& frame) {
    Strips s;
    s.front = random.chance(30) ? 0 : random.chance(30) ? 1 : 0.01 * double(random.between(1, 99));
    s.by_rows = random.chance(40);
    s.panels = random.between(1, 6);
    s.growth = random.chance(50) ? 1 : 1.5;
    s.strips = random.between(1, 5);
    s.drain = random.below(3);
    if (random.chance(40)) s.slices = random.between(2, 5);
    s.turns = random.chance(30);
    s.ahead = random.chance(50) ? 0 : random.between(1, 5);
    Choice choice = choice_of(frame, s);
    const auto count = std::ssize(frame.devices);
    if (random.chance(30)) choice.grid = best_grid(frame.problem, count);
    if (random.chance(30)) choice.grid = {count, 1};
    if (choice.grid.rows > frame.problem.m || choice.grid.cols > frame.problem.n)
        choice.grid = best_grid(frame.problem, count);
    if (random.chance(30) && (choice.grid.rows == 1 || choice.grid.cols == 1))
        for (index_t d = 0; d < count; ++d)
            choice.shares.push_back(static_cast<double>(random.between(1, 4)));
    return choice;
}

TEST(Strips, give_the_right_result_however_they_are_cut) {
    Random random(11);
    constexpr LateC lates[] = {LateC::never, LateC::shared, LateC::always};
    constexpr const char* lines[] = {
        "gpu:1(mem=1GB,s=1T,d=1T,c=1T,z=1T)", "gpu:2(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvlink:50GB/s",
        "gpu:3(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvswitch:9GB/s pcie:10GB/s",
        "gpu:4(mem=1GB,s=1T,d=1T,c=1T,z=1T) pcie:10GB/s",
        "gpu:5(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvswitch:90GB/s pcie:10GB/s"};
    for (int i = 0; i < affordable(120) && !HasFailure(); ++i) {
        Machine machine = synthetic_machine(random.pick(lines));
        if (random.chance(40))  // uneven devices
            for (Device& device : machine.devices)
                for (double& peak : device.peak) peak *= double(random.between(1, 4));
        Problem problem = random_problem(random, machine, 200);
        if (!is_read(problem, operand::A)) continue;
        Draft plan = frame_of(machine, problem);
        Policy policy = strip_policy();
        policy.late_c = random.pick(lates);
        plan_strips(plan, policy, random_choice(random, plan));
        const auto faults = validate(plan);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << to_string(plan);
        Operands x(case_of(problem, random), random);
        x.allow_roundings(roundings(plan));
        SimBackend sim(machine);
        ASSERT_NO_THROW(run(plan, sim, x.binding())) << to_string(plan);
        ASSERT_TRUE(x.check()) << to_string(plan);
    }
}

/// What groups of devices of other rates make of C is added up, tile by tile.
TEST(Strips, slices_have_the_same_blocks_on_uneven_devices) {
    Machine machine = synthetic_machine("gpu:6(mem=1GB,d=1T) nvswitch:90GB/s pcie:10GB/s");
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        machine.devices[d].peak[1] *= static_cast<double>(d + 1);
    for (const index_t slices : {2, 3, 6}) {
        Problem problem = square(300);
        problem.k = 4000;
        Draft plan = frame_of(machine, problem);
        Strips s{1, false, 8, 1.06, 2, 1, slices};
        plan_strips(plan, strip_policy(), choice_of(plan, s));
        const auto faults = validate(plan);
        EXPECT_TRUE(faults.empty()) << slices << " slices: " << faults.front();
    }
}

TEST(Strips, the_host_is_read_once_and_all_its_links_work) {
    Draft plan = frame_of(load_machine("hgx-a100-8"), square(8192));
    plan_strips(plan, strip_policy(), choice_of(plan, {0.5, false, 6, 1.2, 4, 1}));
    EXPECT_EQ(statistics(plan).moved.h2d, 3 * 8192LL * 8192 * 8);
    EXPECT_EQ(statistics(plan).moved.d2h, 8192LL * 8192 * 8);
    const Statistics s = statistics(plan);
    std::set<std::int64_t> loads;
    for (std::size_t l = 0; l < plan.machine.links.size(); ++l)
        if (plan.machine.links[l].from == 0) loads.insert(s.link_bytes[l]);
    EXPECT_EQ(loads.size(), 1U) << "some links carry more than others";
}

TEST(Strips, panels_grow_and_strips_shrink) {
    Draft plan = frame_of(load_machine("hgx-a100-8"), square(16384));
    plan_strips(plan, strip_policy(), choice_of(plan, {0.5, false, 6, 1.5, 4, 2}));
    std::vector<index_t> panels, strips;
    for (const Step& s : plan.steps) {
        if (s.op != Opcode::gemm || plan.queues[std::size_t(s.queue)].index != 0) continue;
        const Tile& a = plan.tiles[std::size_t(s.in[0].tile)];
        (a.cols < 16384 ? panels : strips)
            .push_back(a.cols < 16384 ? a.cols : plan.tiles[std::size_t(s.out.tile)].cols);
    }
    EXPECT_TRUE(std::ranges::is_sorted(panels));
    EXPECT_TRUE(std::ranges::is_sorted(strips, std::greater<>()));
    EXPECT_LT(panels.front(), panels.back());
    EXPECT_GT(strips.front(), strips.back());
}

/// Of the parts of C that device 1 reads and writes, those that it has read and not yet written.
index_t most_ahead(const Plan& plan, const Timeline& times) {
    const MemoryId memory = device_memory(plan.machine, 1);
    std::vector<std::pair<double, index_t>> events;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& s = plan.steps[i];
        if (plan.tiles[std::size_t(s.out.tile)].operand != operand::C) continue;
        if (s.op == Opcode::fetch && memory_of(plan, s.out) == memory)
            events.emplace_back(times[i].begin, 1);
        if (s.op == Opcode::write && memory_of(plan, s.in[0]) == memory)
            events.emplace_back(times[i].end, -1);
    }
    std::ranges::sort(events);
    index_t now = 0, most = 0;
    for (const auto& [time, change] : events) most = std::max(most, now += change);
    return most;
}

TEST(Strips, reading_c_does_not_get_further_ahead_of_writing_than_it_may) {
    for (const index_t ahead : {0, 2, 3}) {
        Draft plan = frame_of(load_machine("hgx-a100-8"), problem_of(8192, 16384, {1, 1, 0}));
        plan_strips(plan, strip_policy(), choice_of(plan, {0, false, 1, 1, 8, 0, 1, false, ahead}));
        const index_t most = most_ahead(plan, simulate(plan));
        EXPECT_EQ(most <= 3, ahead > 0) << most;
        EXPECT_LE(most, ahead > 0 ? ahead : 8);
    }
}

TEST(Strips, a_front_by_rows_finishes_parts_of_c_before_all_of_a_is_there) {
    Draft plan = frame_of(load_machine("hgx-a100-8"), square(8192));
    plan_strips(plan, strip_policy(), choice_of(plan, {0.5, true, 4, 1, 4, 0}));
    const Timeline times = simulate(plan);
    double first_write = 1e9, last_of_a = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& s = plan.steps[i];
        if (s.op == Opcode::write) first_write = std::min(first_write, times[i].begin);
        if (plan.tiles[std::size_t(s.out.tile)].operand == operand::A)
            last_of_a = std::max(last_of_a, times[i].end);
    }
    EXPECT_LT(first_write, last_of_a);
}

TEST(Strips, the_device_where_a_large_c_lives_passes_nothing_on) {
    Problem problem = problem_of(8192, 512, {0, 0, 1});
    Draft plan = frame_of(load_machine("hgx-a100-8"), problem);
    plan_strips(plan, strip_policy(), choice_of(plan, {0.25, true, 4, 1, 4, 1}));
    const bool passes = std::ranges::any_of(plan.steps, [&](const Step& s) {
        return s.op == Opcode::fetch && memory_of(plan, s.in[0]) == 1 &&
               plan.tiles[std::size_t(s.out.tile)].operand != operand::C;
    });
    EXPECT_FALSE(passes);
}

TEST(Strips, a_larger_share_is_a_wider_block) {
    Draft plan = frame_of(load_machine("hgx-a100-8"), square(8192, 1));
    Choice choice = choice_of(plan, {0, false, 1, 1, 4, 1});
    choice.shares.assign(8, 1.0);
    choice.shares[0] = 3;
    plan_strips(plan, strip_policy(), choice);
    const Statistics s = statistics(plan);
    EXPECT_NEAR(s.device_flops[0] / s.device_flops[1], 3, 0.3);
    EXPECT_TRUE(validate(plan).empty());
}

TEST(Strips, what_does_not_fit_is_refused) {
    Draft plan = frame_of(load_machine("hgx-a100-8"), square(8192));
    for (std::size_t m = 1; m < plan.limit.size(); ++m) plan.limit[m] = 100 << 20;
    EXPECT_THROW(plan_strips(plan, strip_policy(), choice_of(plan, {})), Error);
}

/// The policies that do not search take panels instead.
TEST(Strips, with_little_memory_another_order_is_taken_unless_they_are_asked_for) {
    Options options;
    const Problem problem = square(8192);
    const Machine machine = load_machine("hgx-a100-8");
    const Plan whole = make_plan(problem, machine, options);
    options.device_memory = 200 << 20;
    const Plan capped = make_plan(problem, machine, options);
    EXPECT_TRUE(validate(capped).empty());
    EXPECT_GT(whole.slab[1], options.device_memory);
    EXPECT_LE(capped.slab[1], options.device_memory);
    options.policy = "uncut";
    options.order = "strips";
    EXPECT_THROW(make_plan(problem, machine, options), Error);
    options.device_memory = 0;
    EXPECT_TRUE(validate(make_plan(problem, machine, options)).empty());
}

/// Kernels pay for whole blocks: where rates by shape are known, parts begin at blocks, or at what
/// halving the last ones leaves.
TEST(Strips, begin_at_blocks_where_shapes_matter) {
    Machine machine = load_machine("h200");
    machine.devices[0].rates.push_back(
        {Type::d, {256, 8192}, {128, 4096}, {1e13, 2e13, 3e13, 6e13}});
    Problem p;
    p.m = p.n = p.k = 9000;
    p.alpha = p.beta = Factor::general;
    const Plan plan = make_plan(p, machine, {});
    ASSERT_TRUE(validate(plan).empty());
    int parts = 0;
    for (const Step& step : plan.steps) {
        if (step.op != Opcode::gemm) continue;
        const Tile& tile = plan.tiles[static_cast<std::size_t>(step.out.tile)];
        const bool last = tile.col + tile.cols > p.n - 512;  // what is left of n, and its halves
        EXPECT_TRUE(last || tile.cols % 128 == 0) << name_of(plan, tile);
        parts += last ? 0 : 1;
    }
    EXPECT_GT(parts, 4);
}

}  // namespace
}  // namespace gemmill::test
