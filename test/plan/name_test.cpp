// SPDX-License-Identifier: Apache-2.0
// Names of tiles, queues and kinds of step.
#include <gtest/gtest.h>

#include "gemmill/plan.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

TEST(PlanName, TileByItsRanges) {
    EXPECT_EQ(name_of(Plan{}, Tile{operand::C, 0, 2048, 2048, 2048}), "C[0:2048,2048:4096]");
    EXPECT_EQ(name_of(Plan{}, Tile{operand::A, 5, 0, 1, 3}), "A[5:6,0:3]");
}

TEST(PlanName, QueueByItsDeviceOrLink) {
    const Plan plan = test::sample_plan();
    EXPECT_EQ(name_of(plan, plan.queues[0]), "gpu0 compute");
    EXPECT_EQ(name_of(plan, plan.queues[2]), "host -> gpu0");
    EXPECT_EQ(name_of(plan, plan.queues[6]), "gpu0 -> gpu1");
}

TEST(PlanName, QueuesOfOneDeviceOrLinkAreNumbered) {
    Plan plan = test::sample_plan();
    plan.queues.push_back({QueueKind::compute, 0});
    plan.queues.push_back({QueueKind::transfer, 0});
    EXPECT_EQ(name_of(plan, plan.queues[0]), "gpu0 compute 1");
    EXPECT_EQ(name_of(plan, plan.queues[1]), "gpu1 compute");
    EXPECT_EQ(name_of(plan, plan.queues[2]), "host -> gpu0 #1");
    EXPECT_EQ(name_of(plan, plan.queues[7]), "gpu0 compute 2");
    EXPECT_EQ(name_of(plan, plan.queues[8]), "host -> gpu0 #2");
}

TEST(PlanName, QueueOfNothing) {
    EXPECT_EQ(name_of(Plan{}, Queue{QueueKind::compute, 3}), "[3] compute");
    EXPECT_EQ(name_of(Plan{}, Queue{QueueKind::transfer, -1}), "link [-1]");
}

TEST(PlanName, Kinds) {
    EXPECT_STREQ(name_of(Opcode::fetch), "fetch");
    EXPECT_STREQ(name_of(StepKind::compute), "compute");
    EXPECT_STREQ(name_of(Opcode::add), "add");
    EXPECT_STREQ(name_of(Opcode::write), "write");
    EXPECT_STREQ(name_of(Opcode::mirror), "mirror");
}

}  // namespace
}  // namespace gemmill
