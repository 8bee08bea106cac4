// SPDX-License-Identifier: Apache-2.0
// Plans in which each of several devices holds all of A are valid and right for every routine, with
// any cut, place of the operands, links and rates.
#include "planner/shape/shared/shared.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "planner/shape/tiles/level3.hpp"
#include "support/any_order.hpp"
#include "support/frame.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"

namespace gemmill::test {
namespace {

constexpr const char* lines[] = {"gpu:2(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvlink:50GB/s",
                                 "gpu:3(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvswitch:9GB/s pcie:10GB/s",
                                 "gpu:4(mem=1GB,s=1T,d=1T,c=1T,z=1T) pcie:10GB/s",
                                 "gpu:5(mem=1GB,s=1T,d=1T,c=1T,z=1T) nvswitch:90GB/s pcie:10GB/s"};

Machine any_machine(Random& random) {
    Machine machine = synthetic_machine(random.pick(lines));
    if (random.chance(40))  // uneven devices
        for (Device& device : machine.devices)
            for (double& peak : device.peak) peak *= static_cast<double>(random.between(1, 4));
    return machine;
}

Choice any_choice(Random& random, const Draft& frame, index_t largest) {
    Choice choice;
    choice.devices = frame.devices;
    choice.tall = true;
    choice.cut = {random.between(1, largest), random.between(1, largest),
                  static_cast<int>(random.between(0, 3)), static_cast<int>(random.between(0, 3))};
    choice.outer = random.chance(30) ? 1 : random.chance(30) ? 0 : random.real() / 2 + 0.5;
    choice.late = random.chance(50);
    return choice;
}

Policy any_policy(Random& random) {
    Policy policy = resolve_policy(Options{});
    policy.pieces = static_cast<int>(random.between(1, 6));
    return policy;
}

void check(const Problem& p, const Machine& machine, index_t largest, Random& random) {
    Draft plan = frame_of(machine, p);
    plan_shared(plan, any_policy(random), any_choice(random, plan, largest));
    const auto faults = validate(plan);
    ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << describe(p) << "\n" << to_text(plan);
    const double want = flops_of(p);
    EXPECT_NEAR(statistics(plan).flops, want, 1e-9 * want) << describe(p);
    Level3Operands x(p, random);
    ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
}

TEST(Shared, small_ones_are_right_in_any_order) {
    Random random(1);
    for (int i = 0; i < affordable(2500) && !HasFailure(); ++i) {
        const Machine machine = any_machine(random);
        const Problem p =
            random_level3(random, random.pick(level3_routines), 20, std::ssize(machine.memories));
        if (is_read(p, operand::A)) check(p, machine, 9, random);
    }
}

/// Pieces of a megabyte go to several devices.
TEST(Shared, what_comes_in_pieces_is_right) {
    Random random(2);
    for (const Routine routine : level3_routines) {
        const Machine machine = synthetic_machine(lines[3]);
        Problem p = random_level3(random, routine, 20);
        p.alpha = p.beta = Factor::general;
        if (!is_hermitian(routine)) {
            p.type = Type::d;
            p.op_a = p.op_a == Op::ConjTrans ? Op::Trans : p.op_a;
        }
        const bool has_lines = reads_triangle(routine), left = p.side == Side::Left;
        p.m = has_lines && left ? 760 : has_lines ? 30 : 70;
        p.n = has_lines && !left ? 760 : has_lines ? 30 : 70;
        p.k = has_lines ? 760 : 8000;
        check(p, machine, has_lines ? 700 : 8000, random);
    }
}

Problem square(Routine routine, index_t n) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    return p;
}

/// What goes to all devices leaves the host once, and no link carries much more than the others.
TEST(Shared, a_comes_from_home_once_over_all_links) {
    for (const Routine routine : {Routine::trsm, Routine::trmm, Routine::syrk, Routine::symm}) {
        const Problem p = square(routine, 8192);
        Draft plan = frame_of(load_machine("hgx-a100-8"), p);
        Choice choice;
        choice.devices = plan.devices;
        choice.cut = {1024, 1024};
        plan_shared(plan, resolve_policy(Options{}), choice);
        const Statistics s = statistics(plan);
        const std::int64_t matrix = 8192LL * 8192 * 8;
        const std::int64_t half = matrix / 2, more = matrix / 8;  // of squares of blocks
        const std::int64_t least = routine == Routine::symm   ? 2 * matrix + half
                                   : routine == Routine::syrk ? matrix + half
                                                              : matrix + half;
        EXPECT_GE(s.moved.h2d, least) << name_of(routine);
        EXPECT_LE(s.moved.h2d, least + more) << name_of(routine);
        std::int64_t fewest = s.moved.h2d, most = 0;
        for (std::size_t l = 0; l < plan.machine.links.size(); ++l)
            if (plan.machine.links[l].from == 0) {
                fewest = std::min(fewest, s.link_bytes[l]);
                most = std::max(most, s.link_bytes[l]);
            }
        EXPECT_LE(most, 3 * fewest) << name_of(routine);
    }
}

TEST(Shared, what_does_not_fit_is_an_error) {
    const Problem p = square(Routine::trsm, 100);
    Draft plan = frame_of(synthetic_machine(lines[0]), p);
    plan.limit[2] = 8 * 100 * 100;
    Choice choice;
    choice.devices = plan.devices;
    choice.cut = {50, 50};
    EXPECT_THROW(plan_shared(plan, resolve_policy(Options{}), choice), Error);
}

/// As many steps are made as there may be: by them the search counts what it gave up.
TEST(Shared, what_takes_too_many_steps_ends_there) {
    const Problem p = square(Routine::trsm, 4096);
    for (const std::size_t devices : {1, 3}) {
        Draft plan = frame_of(synthetic_machine(lines[1]), p);
        plan.devices.resize(devices);
        plan.most_steps = 50;
        Choice choice;
        choice.devices = plan.devices;
        choice.cut = {128, 128};
        choice.tall = true;
        EXPECT_THROW(plan_level3(plan, resolve_policy(Options{}), choice), Error);
        EXPECT_EQ(plan.steps.size(), 50U) << devices;
    }
}

}  // namespace
}  // namespace gemmill::test
