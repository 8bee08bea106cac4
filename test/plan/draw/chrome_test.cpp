// SPDX-License-Identifier: Apache-2.0
// The Chrome trace of a timeline.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"
#include "plan/sample.hpp"

namespace gemmill {
namespace {

using nlohmann::json;
using test::sample_plan;
using test::sample_timeline;

TEST(PlanChrome, AnEventAStep) {
    const Plan plan = sample_plan();
    Timeline times = sample_timeline(plan);
    times[4].end += 1.234567e-6;
    const json trace = json::parse(chrome_trace(plan, times));
    std::map<int, json> events;
    for (const json& event : trace["traceEvents"])
        if (event["ph"] == "X") events[event["args"]["step"]] = event;
    ASSERT_EQ(events.size(), plan.steps.size());
    for (const auto& [id, event] : events) {
        EXPECT_NEAR(event["ts"].get<double>(), times[id].begin * 1e6, 1e-3);
        EXPECT_NEAR(event["dur"].get<double>(), (times[id].end - times[id].begin) * 1e6, 2e-3);
        EXPECT_EQ(event["tid"], plan.steps[id].queue + 1);
    }
    EXPECT_EQ(events[3]["name"], "fetch A[0:128,0:64]");
    EXPECT_EQ(events[3]["args"]["bytes"], 32768);
    EXPECT_EQ(events[3]["args"]["piece"], "1/2");
    EXPECT_EQ(events[7]["args"]["waits"], json::parse("[1,4,6]"));
}

TEST(PlanChrome, ProcessesAndThreadsHaveNames) {
    Plan plan = sample_plan();
    plan.machine.devices[1].name = "quote\" \xff";
    const json trace = json::parse(chrome_trace(plan, sample_timeline(plan)));
    std::map<int, std::string> processes, threads;
    for (const json& event : trace["traceEvents"]) {
        if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
        if (event["name"] == "thread_name") threads[event["tid"]] = event["args"]["name"];
    }
    EXPECT_EQ(processes.size(), 2u);
    EXPECT_EQ(processes[1], "gpu0");
    EXPECT_EQ(processes[2], "quote\" \xEF\xBF\xBD");
    EXPECT_EQ(threads.size(), 7u);
    EXPECT_EQ(threads[3], "host -> gpu0");
}

TEST(PlanChrome, BarsOfAQueueDoNotOverlap) {
    Plan plan = sample_plan();
    plan.steps.assign(1000, plan.steps[0]);
    Timeline times;
    for (int i = 0; i < 1000; ++i) times.push_back({i / 3e7, (i + 1) / 3e7});
    const json trace = json::parse(chrome_trace(plan, times));
    double end = 0;
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        const double begin = event["ts"];
        EXPECT_GE(begin, end - 1e-6);
        end = begin + event["dur"].get<double>();
    }
}

TEST(PlanChrome, TimelineMustBelongToThePlan) {
    EXPECT_THROW(chrome_trace(sample_plan(), {}), Error);
}

}  // namespace
}  // namespace gemmill
