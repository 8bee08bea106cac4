// SPDX-License-Identifier: Apache-2.0
// The still picture of a timeline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/draw/xml.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

using test::count_of;
using test::RandomPlan;
using test::sample_plan;
using test::sample_timeline;
using test::XmlCheck;
using testing::HasSubstr;

constexpr const char* row_mark = "<g class=\"row\">";

TEST(PlanSvg, ARowAQueueAndABarAStep) {
    const Plan plan = sample_plan();
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    EXPECT_EQ(XmlCheck(svg).fault(), "");
    EXPECT_EQ(count_of(svg, row_mark), 7);
    EXPECT_EQ(count_of(svg, "<title>"), 19);
    EXPECT_EQ(count_of(svg, "<rect class=\"group\""), 2);
}

TEST(PlanSvg, SaysWhatItShows) {
    const Plan plan = sample_plan();
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    for (const char* part :
         {"C = beta C + alpha A B (d), A 128 x 128, B 128 x 128, C 128 x 128, on sample, 2 devices",
          "makespan ", "TFLOP/s", "bound 91 us", "host -&gt; gpu0", "fetch A", "fetch B", "fetch C",
          "compute", "add", "write",
          "step 3: fetch A[0:128,0:64], 20 us to 30 us (10 us), 32.8 kB, piece"})
        EXPECT_THAT(svg, HasSubstr(part));
}

TEST(PlanSvg, QueuesWithoutStepsHaveNoRow) {
    Plan plan = sample_plan();
    plan.queues.push_back({QueueKind::compute, 0});
    EXPECT_EQ(count_of(draw_svg(plan, sample_timeline(plan)), row_mark), 7);
}

TEST(PlanSvg, RowsOfADeviceStandTogether) {
    const Plan plan = sample_plan();
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    std::size_t last = 0;
    for (const char* name :
         {">gpu0 compute<", ">host -&gt; gpu0<", ">gpu0 -&gt; host<", ">gpu1 compute<",
          ">host -&gt; gpu1<", ">gpu0 -&gt; gpu1<", ">gpu1 -&gt; host<"}) {
        const std::size_t at = svg.find(name);
        ASSERT_NE(at, std::string::npos) << name;
        EXPECT_GT(at, last) << name;
        last = at;
    }
}

TEST(PlanSvg, NamesAreEscaped) {
    Plan plan = sample_plan();
    plan.machine.name = "<&\">\x01\xff";
    plan.machine.devices[0].name = "</text>";
    plan.policy = "a&b";
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    EXPECT_EQ(XmlCheck(svg).fault(), "");
    EXPECT_THAT(svg, HasSubstr("&lt;/text&gt; compute"));
}

/// Many steps, alternately of two colours, on one queue.
Plan many_fetches(int steps) {
    Plan plan = sample_plan();
    plan.steps.clear();
    plan.waits.clear();
    for (int i = 0; i < steps; ++i) {
        const TileId tile = i % 3 == 0 ? 2 : 0;
        Step step = move_step(plan, Opcode::fetch, {tile, Ref::home}, {tile, 0});
        step.queue = 2;
        plan.steps.push_back(step);
    }
    return plan;
}

TEST(PlanSvg, SliversAreMerged) {
    const Plan plan = many_fetches(200000);
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    EXPECT_EQ(XmlCheck(svg).fault(), "");
    EXPECT_LT(svg.size(), 500000u);
    EXPECT_GT(count_of(svg, "<rect class=\"p0"), 500);
    EXPECT_GT(count_of(svg, "<rect class=\"p1"), 500);
}

TEST(PlanSvg, TenThousandBarsStaySmall) {
    Plan plan = many_fetches(10000);
    for (int i = 0; i < 10000; ++i) plan.steps[i].queue = 2 + i % 5;
    const std::string svg = draw_svg(plan, sample_timeline(plan));
    EXPECT_EQ(XmlCheck(svg).fault(), "");
    EXPECT_LT(svg.size(), 2000000u);
}

TEST(PlanSvg, NothingToDraw) {
    Plan plan = many_fetches(0);
    EXPECT_EQ(XmlCheck(draw_svg(plan, {})).fault(), "");
    plan = sample_plan();
    plan.prediction.bound_seconds = std::numeric_limits<double>::infinity();
    EXPECT_EQ(XmlCheck(draw_svg(plan, Timeline(plan.steps.size()))).fault(), "");
}

TEST(PlanSvg, RandomPlansAreWellFormed) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        Plan plan = RandomPlan(seed).make(30);
        for (Tile& tile : plan.tiles) tile.rows %= 1000, tile.cols %= 1000;
        Timeline times;
        for (int i = 0; i < 30; ++i) times.push_back({(i * 7 % 30) * 1e-3, (i * 11 % 30) * 1e-3});
        EXPECT_EQ(XmlCheck(draw_svg(plan, times)).fault(), "");
    }
}

TEST(PlanSvg, TimelineMustBelongToThePlan) {
    Plan plan = sample_plan();
    Timeline times = sample_timeline(plan);
    times[3].end = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(draw_svg(plan, times), Error);
    EXPECT_THROW(draw_svg(plan, Timeline(3)), Error);
    times = sample_timeline(plan);
    plan.steps[0].queue = 99;
    EXPECT_THROW(draw_svg(plan, times), Error);
    plan = sample_plan();
    plan.queues[0].index = 2;
    EXPECT_THROW(draw_svg(plan, times), Error);
    plan = sample_plan();
    plan.steps[0].wait_count = 99;
    EXPECT_THROW(draw_svg(plan, times), Error);
}

}  // namespace
}  // namespace gemmill
