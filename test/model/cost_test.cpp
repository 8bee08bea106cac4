// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <gtest/gtest.h>

#include "base/routine.hpp"
#include "machine/chips.hpp"
#include "plan/access.hpp"
#include "support/level3_case.hpp"
#include "support/picky.hpp"
#include "task/describe.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

Device measured() {
    Device device;
    device.peak.fill(100);
    device.rates.push_back({Type::d, {100, 400}, {10, 40}, {10, 20, 30, 60}});
    return device;
}

TEST(KernelRate, is_the_peak_where_nothing_was_measured) {
    EXPECT_EQ(kernel_rate(measured(), Type::s, 5, 5, 5), 100);
}

TEST(KernelRate, is_what_was_measured_of_a_shape_and_of_all_of_its_area) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 10), 10);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 40), 20);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 400, 400, 10), 30);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 1600, 100, 40), 60);
}

TEST(KernelRate, lies_between_by_logarithms) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 200, 200, 10), 20);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 20), 15);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 200, 200, 20), 30);
}

TEST(KernelRate, stays_beyond_the_largest_and_takes_as_long_before_the_smallest) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 9000, 9000, 9000), 60);
    const auto seconds = [&](double m, double n, double k) {
        return m * n * k / kernel_rate(device, Type::d, m, n, k);
    };
    EXPECT_DOUBLE_EQ(seconds(50, 20, 10), seconds(100, 100, 10));
    EXPECT_DOUBLE_EQ(seconds(100, 100, 3), seconds(100, 100, 10));
}

/// One square at the diagonal on a device that multiplies at 100 flop/s whatever the shape.
double rate_of_square(Routine routine, index_t n, const char* chip = "sm_90") {
    Plan plan;
    Device device;
    device.rates.push_back({Type::d, {1, 2}, {1, 2}, {100, 100, 100, 100}});
    device.chip = chip_of(plan.machine, chip);
    plan.machine.devices.push_back(device);
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = n;
    describe(p, plan);
    plan.queues.push_back({QueueKind::compute, 0});
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        plan.tiles.push_back({operand, 0, 0, n, n});
    const Ref second{has_b(routine) ? 1 : -1, Ref::home};
    const Step step = compute_step(plan, p, 0, {2, Ref::home}, Keep::zero, {0, Ref::home}, second);
    EXPECT_STREQ(name_of(step.op), name_of(routine));
    return flops_of(plan, step) / cost_of(plan, step).seconds();
}

/// Parts are of a product's rate, which small shapes do not reach either: only large ones compare.
TEST(Squares, take_longer_when_they_are_larger_and_come_near_to_products) {
    for (const Routine routine : level3_routines) {
        double last = 0;
        for (const index_t n : {128, 512, 2048, 8192}) {
            const double work = static_cast<double>(n) * static_cast<double>(n * n);
            const double seconds = work / rate_of_square(routine, n);
            EXPECT_GT(seconds, last) << name_of(routine) << " " << n;
            last = seconds;
        }
        const double large = rate_of_square(routine, 1 << 14);
        EXPECT_GT(large, 60) << name_of(routine);
        EXPECT_LE(large, 100) << name_of(routine);
    }
}

TEST(Squares, of_a_chip_without_shapes_have_one_efficiency) {
    for (const Routine routine : level3_routines) {
        const double rate = rate_of_square(routine, 96, "gpu");
        EXPECT_LT(rate, 100) << name_of(routine);
        EXPECT_DOUBLE_EQ(rate_of_square(routine, 9008, "gpu"), rate) << name_of(routine);
    }
}

TEST(Squares, of_odd_sizes_are_slower_where_a_chip_minds) {
    for (const Routine routine : level3_routines) {
        const double even = rate_of_square(routine, 9008, "gpu");
        EXPECT_NEAR(rate_of_square(routine, 9007, "gpu"), 0.75 * even, 1e-3 * even);
    }
}

TEST(Odd, products_lose_by_their_ops_where_a_chip_tells_them_apart) {
    Machine machine = with_grain(load_machine("gpu:1(d=100)"), 4, 0.5);
    machine.chips.back().efficiencies.push_back({"odd_nt", "d", {1}, {1}, {0.8}, false});
    const Device& gpu = machine.devices.back();
    const auto part = [&](Type type, Op a, Op b, index_t common) {
        return odd_part(machine, gpu, {type, a, b, 1000, common});
    };
    EXPECT_EQ(part(Type::d, Op::NoTrans, Op::Trans, 1), 0.8);
    EXPECT_EQ(part(Type::d, Op::NoTrans, Op::ConjTrans, 2), 0.8);
    EXPECT_EQ(part(Type::d, Op::Trans, Op::Trans, 1), 0.5);
    EXPECT_EQ(part(Type::s, Op::NoTrans, Op::Trans, 1), 0.5);
    EXPECT_EQ(part(Type::d, Op::NoTrans, Op::Trans, 4), 1);
}

/// Libraries read along columns: of A and C in m, of B in k where nothing is transposed.
TEST(Odd, only_sizes_along_a_column_matter) {
    const Machine machine = with_grain(load_machine("gpu:1(d=100)"), 4, 0.5);
    const auto is_slow = [&](index_t m, index_t n, index_t k, Op a, Op b) {
        Plan plan;
        plan.machine = machine;
        Problem p;
        p.m = m, p.n = n, p.k = k, p.op_a = a, p.op_b = b;
        describe(p, plan);
        plan.queues.push_back({QueueKind::compute, 0});
        for (const Operand& o : plan.operands)
            plan.tiles.push_back({static_cast<OperandId>(plan.tiles.size()), 0, 0, o.rows, o.cols});
        const Step step =
            compute_step(plan, p, 0, {2, Ref::home}, Keep::zero, {0, Ref::home}, {1, Ref::home});
        const double rate = flops_of(plan, step) / cost_of(plan, step).seconds();
        return rate < 75;
    };
    constexpr Op n = Op::NoTrans, t = Op::Trans;
    EXPECT_TRUE(is_slow(4001, 4000, 4000, n, n) && is_slow(4000, 4000, 4001, n, n));
    EXPECT_FALSE(is_slow(4000, 4001, 4000, n, n) || is_slow(4000, 4001, 4000, t, n));
    EXPECT_TRUE(is_slow(4000, 4001, 4000, n, t) && is_slow(4000, 4001, 4000, t, t));
    EXPECT_FALSE(is_slow(4000, 4000, 4001, n, t));
    EXPECT_TRUE(is_slow(4000, 4000, 4001, t, t) && is_slow(4001, 4000, 4000, t, t));
}

}  // namespace
}  // namespace gemmill::test
