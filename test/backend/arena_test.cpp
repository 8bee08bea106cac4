// SPDX-License-Identifier: Apache-2.0
#include "backend/arena.hpp"

#include <gtest/gtest.h>

#include "backend/perform.hpp"
#include "gemmill/error.hpp"
#include "kernel/reference/reference.hpp"
#include "plan/sample.hpp"
#include "support/failing.hpp"

namespace gemmill::test {
namespace {

Plan plan_of(std::initializer_list<std::int64_t> slab) {
    Plan plan;
    plan.machine = sample_machine();
    plan.slab = slab;
    return plan;
}

TEST(AllocateHost, keeps_to_the_capacity_and_names_the_memory) {
    const Memory memory{"gpu7", MemoryKind::device, 1000, ""};
    EXPECT_NE(allocate_host(memory, 1000), nullptr);
    EXPECT_NO_THROW(allocate_host(memory, 0));
    try {
        allocate_host(memory, 1001);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_NE(error.text().find("gpu7"), std::string::npos) << error.what();
    }
}

TEST(Slabs, grow_together_or_not_at_all) {
    CountedMemory memory;
    Slabs slabs(memory.allocate());
    slabs.reserve(plan_of({0, 100, 200}));
    EXPECT_EQ(memory.bytes_now, 300);
    EXPECT_EQ(memory.calls, 2);
    const auto begins = slabs.reserve(plan_of({0, 50, 200}));
    EXPECT_EQ(memory.calls, 2);
    EXPECT_EQ(begins[0], nullptr);
    memory.fails = 3;
    EXPECT_THROW(slabs.reserve(plan_of({0, 500, 500})), Error);
    EXPECT_EQ(memory.bytes_now, 0) << "the old ones went first, the new ones with the failure";
    memory.fails = never;
    EXPECT_NE(slabs.reserve(plan_of({0, 100, 200}))[1], nullptr);
    EXPECT_EQ(memory.bytes_now, 300);
    slabs.reserve(plan_of({10, 500, 10}));
    EXPECT_EQ(memory.bytes_now, 710);
}

TEST(Blocks, know_who_owns_a_pointer) {
    Blocks blocks;
    const Memory memory{"m", MemoryKind::device, 1000, ""};
    auto* a = static_cast<std::byte*>(blocks.add(1, allocate_host(memory, 100), 100));
    auto* b = static_cast<std::byte*>(blocks.add(2, allocate_host(memory, 1), 1));
    EXPECT_EQ(blocks.find(a), 1);
    EXPECT_EQ(blocks.find(a + 99), 1);
    EXPECT_NE(blocks.find(a + 100), 1);
    EXPECT_NE(blocks.find(a - 1), 1);
    EXPECT_EQ(blocks.find(b), 2);
    EXPECT_EQ(blocks.find(nullptr), -1);
    blocks.remove(a + 1);
    EXPECT_EQ(blocks.find(a), 1);
    blocks.remove(a);
    EXPECT_EQ(blocks.find(a), -1);
    EXPECT_EQ(blocks.find(b), 2);
}

TEST(Blocks, keep_what_lies_in_one_of_them_or_in_none) {
    Blocks blocks;
    const Memory memory{"m", MemoryKind::device, 1000, ""};
    std::vector<std::byte> other(8);
    EXPECT_TRUE(blocks.keep(other.data(), 8));
    auto* a = static_cast<std::byte*>(blocks.add(1, allocate_host(memory, 100), 100));
    EXPECT_TRUE(blocks.keep(a, 100));
    EXPECT_FALSE(blocks.keep(a, 101));
    EXPECT_TRUE(blocks.keep(a + 40, 60));
    EXPECT_FALSE(blocks.keep(a + 41, 60));
    EXPECT_FALSE(blocks.keep(a - 1, 2)) << "begins before it";
    EXPECT_FALSE(blocks.keep(a - 1, 200)) << "has all of it and more";
    EXPECT_FALSE(blocks.keep(a, std::numeric_limits<std::size_t>::max()));
    EXPECT_TRUE(blocks.keep(a - 1, 1));
    EXPECT_TRUE(blocks.keep(a + 100, 1));
    EXPECT_TRUE(blocks.keep(a + 99, 0));
    EXPECT_TRUE(blocks.keep(other.data(), 8));
    blocks.remove(a);
    EXPECT_TRUE(blocks.keep(a, 101));
    EXPECT_EQ(blocks.add(1, nullptr, 0), nullptr);
    EXPECT_EQ(blocks.find(nullptr), -1);
}

/// Every kind of step of the plan by hand, as pointers and sizes.
TEST(Perform, steps_become_tasks) {
    const Plan plan = sample_plan();
    std::vector<double> a(130 * 128), b(128 * 128), c(128 * 128);
    const Binding binding{{a.data(), b.data(), c.data()}, {130, 128, 128}, {2, 0}, {3, 0}};
    std::vector<std::byte> one(4 * 65536), two(5 * 65536);
    std::byte* const slabs[] = {nullptr, one.data(), two.data()};
    const auto task = [&](std::size_t step) {
        return make_task(plan, plan.steps[step], binding, slabs).work;
    };

    const auto piece = std::get<CopyArgs>(task(1));  // columns 32..63 of A's left half
    EXPECT_EQ(piece.from, a.data() + 32 * 130);
    EXPECT_EQ(piece.from_ld, 130);
    EXPECT_EQ(piece.to, one.data() + 32 * 128 * 8);
    EXPECT_EQ(piece.to_ld, 128);
    EXPECT_EQ(piece.rows, 128);
    EXPECT_EQ(piece.cols, 32);
    EXPECT_EQ(piece.bytes, 8);

    const auto first = std::get<GemmArgs>(task(7));
    EXPECT_EQ(first.m, 128);
    EXPECT_EQ(first.n, 64);
    EXPECT_EQ(first.k, 64);
    EXPECT_EQ(first.alpha, (Scalar{2, 0}));
    EXPECT_EQ(first.beta, (Scalar{3, 0}));
    EXPECT_EQ(first.a, one.data());
    EXPECT_EQ(first.c, one.data() + 3 * 65536);
    EXPECT_EQ(std::get<GemmArgs>(task(8)).beta, (Scalar{0, 0}));
    EXPECT_EQ(std::get<GemmArgs>(task(13)).beta, (Scalar{1, 0}));

    const auto late = std::get<AddArgs>(task(16));
    EXPECT_EQ(late.beta, (Scalar{3, 0}));
    EXPECT_EQ(late.x, two.data() + 4 * 65536);
    EXPECT_EQ(late.c, two.data() + 3 * 65536);

    const auto back = std::get<CopyArgs>(task(18));
    EXPECT_EQ(back.to, c.data() + 64 * 128);
    EXPECT_EQ(back.cols, 64);
}

/// A compute step without inputs scales, or clears what it must not read.
TEST(Perform, a_step_without_inputs_scales) {
    Plan plan = sample_plan();
    Step& step = plan.steps[7];
    step = compute_step(plan, problem_of(plan), step.queue, step.out, Keep::old);
    std::vector<double> c(128 * 64, 2.0);
    std::byte* const slabs[] = {nullptr, nullptr, nullptr};
    step.out.buffer = Ref::home;
    const Binding binding{{nullptr, nullptr, c.data()}, {1, 1, 128}, {2, 0}, {3, 0}};
    perform(make_task(plan, step, binding, slabs), reference_kernels());
    EXPECT_EQ(c.front(), 6.0);
    EXPECT_EQ(c.back(), 6.0);
    c.assign(c.size(), std::numeric_limits<double>::quiet_NaN());
    step.keep = Scale::zero;
    perform(make_task(plan, step, binding, slabs), reference_kernels());
    EXPECT_EQ(c.back(), 0.0);
}

}  // namespace
}  // namespace gemmill::test
