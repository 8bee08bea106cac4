// SPDX-License-Identifier: Apache-2.0
// The text form of a plan as people read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

using test::sample_plan;
using testing::HasSubstr;
using testing::StartsWith;

TEST(PlanPrint, ReadsLikeAProgram) {
    const std::string text = to_text(sample_plan());
    EXPECT_THAT(text, StartsWith("gemmill-plan 2\nmachine sample"));
    EXPECT_THAT(text, HasSubstr("\noperand B type=d rows=128 cols=128 at=host\n"));
    EXPECT_THAT(text, HasSubstr("\ngoal C <- beta C + alpha A B\npolicy \"by hand\"\n"
                                "devices gpu0 gpu1\n"));
    EXPECT_THAT(text, HasSubstr("\nqueue 6 transfer link=gpu0:gpu1\n"));
    EXPECT_THAT(text, HasSubstr("\ntile 3 B[64:128,0:64]\n"));
    EXPECT_THAT(text, HasSubstr("\nbuffer 0 memory=gpu0 tile=0 offset=0 bytes=65536 ld=128 "
                                "steps=0..7\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 3 gpu0:gpu1.0 fetch A[0:128,0:64]@5 <- "
                                "A[0:128,0:64]@0 piece=1/2 after=1\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 7 gpu0.0 gemm C[0:128,0:64]@4 <- beta C + "
                                "alpha A[0:128,0:64]@0 B[0:64,0:64]@2 after=1,4,6\n"));
    EXPECT_THAT(text, HasSubstr("\nstep 17 gpu0:host.0 write C[0:128,0:64]@home <- "
                                "C[0:128,0:64]@4 after=13\n"));
}

TEST(PlanPrint, NamesThatAreNotPlainComeBackByNumber) {
    Plan plan = sample_plan();
    plan.machine.memories[1].name = "gpu:0";
    plan.machine.devices[0].name = "1";
    plan.machine.devices[1].name = "a@b";
    const std::string text = to_text(plan);
    EXPECT_THAT(text, HasSubstr("memory=[1]"));
    EXPECT_THAT(text, HasSubstr("link=host:[1]"));
    EXPECT_TRUE(parse_plan(text) == plan);
}

TEST(PlanPrint, WaitsOutsideThePlanAreRefused) {
    Plan plan = sample_plan();
    plan.steps.back().wait_count = 1000;
    EXPECT_THROW(to_text(plan), Error);
}

}  // namespace
}  // namespace gemmill
