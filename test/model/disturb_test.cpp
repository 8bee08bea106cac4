// SPDX-License-Identifier: Apache-2.0
// Machines that change while a plan runs.
#include "model/disturb.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

/// Two kernels of a second each, one after the other, and a fetch of four seconds beside them.
Plan two_seconds() {
    Plan plan;
    plan.machine.memories = {{"host", MemoryKind::host, 1 << 20, ""},
                             {"gpu0", MemoryKind::device, 1 << 20, ""}};
    Device device;
    device.name = "gpu0", device.memory = 1;
    device.peak.fill(16);
    plan.machine.devices = {device};
    plan.machine.links = {{0, 1, 8, 0, 0, {}, ""}};
    plan.operands = {{"A", Type::d, 2, 2, {}, {}, 0},
                     {"B", Type::d, 2, 2, {}, {}, 1},
                     {"C", Type::d, 2, 2, {}, {}, 1}};
    plan.tiles = {{0, 0, 0, 2, 2}, {1, 0, 0, 2, 2}, {2, 0, 0, 2, 2}};
    plan.buffers = {{1, 2, 0, 32, 2, 0, 1}, {1, 0, 32, 32, 2, 2, 2}};
    plan.queues = {{QueueKind::compute, 0}, {QueueKind::transfer, 0}};
    Step kernel;
    kernel.op = Opcode::gemm;
    kernel.queue = 0;
    kernel.out = {2, 0};
    kernel.in = {Ref{1, Ref::home}, Ref{1, Ref::home}};
    Step fetch;
    fetch.queue = 1;
    fetch.out = {0, 1};
    fetch.in[0] = {0, Ref::home};
    plan.steps = {kernel, kernel, fetch};
    return plan;
}

double end_of(const Plan& plan, const char* text, std::size_t step) {
    const Disturbance one = parse_disturbance(plan.machine, text);
    return simulate(plan, {&one, 1})[step].end;
}

TEST(Disturb, nothing_else_changes) {
    const Plan plan = two_seconds();
    const Timeline timeline = simulate(plan);
    EXPECT_DOUBLE_EQ(timeline[0].end, 1);
    EXPECT_DOUBLE_EQ(timeline[1].end, 2);
    EXPECT_DOUBLE_EQ(timeline[2].end, 4);
    EXPECT_EQ(simulate(plan, {}), timeline);
    EXPECT_DOUBLE_EQ(end_of(plan, "gpu0 rate 0.5", 2), 4);
    EXPECT_DOUBLE_EQ(end_of(plan, "host->gpu0 rate 0.5", 1), 2);
}

TEST(Disturb, a_device_is_slower_from_a_time_on) {
    const Plan plan = two_seconds();
    EXPECT_DOUBLE_EQ(end_of(plan, "gpu0 rate 0.5", 1), 4);
    EXPECT_DOUBLE_EQ(end_of(plan, "gpu0 rate 0.5 from 1500ms", 1), 2.5);
    EXPECT_DOUBLE_EQ(end_of(plan, "gpu0 rate 0.5 from 500ms to 1500ms", 1), 2.5);
}

TEST(Disturb, a_link_is_slower_for_a_while) {
    const Plan plan = two_seconds();
    EXPECT_DOUBLE_EQ(end_of(plan, "host->gpu0 rate 0.25 from 0s to 2s", 2), 5.5);
}

TEST(Disturb, what_stops_for_a_while_goes_on) {
    EXPECT_DOUBLE_EQ(end_of(two_seconds(), "gpu0 rate 0 from 1500ms to 3s", 1), 3.5);
}

TEST(Disturb, what_stops_for_good_ends_the_run) {
    const Plan plan = two_seconds();
    try {
        end_of(plan, "gpu0 stops at 1500ms", 1);
        FAIL() << "it ended";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::failed_step);
        EXPECT_NE(error.text().find("after 2 of 3 steps"), std::string::npos) << error.text();
    }
}

TEST(Disturb, words_that_mean_nothing_are_refused) {
    const Plan plan = two_seconds();
    for (const char* text :
         {"", "gpu0", "gpu0 rate", "gpu1 rate 0.5", "gpu0->host rate 0.5", "gpu0 rate -1",
          "gpu0 rate x", "gpu0 stops 1s", "gpu0 rate 0.5 from 2s to 1s", "gpu0 speed 0.5"})
        EXPECT_THROW(parse_disturbance(plan.machine, text), Error) << text;
}

}  // namespace
}  // namespace gemmill::test
