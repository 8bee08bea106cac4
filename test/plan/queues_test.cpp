// SPDX-License-Identifier: Apache-2.0
#include "plan/queues.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

Plan two_devices() {
    Plan plan;
    plan.machine = parse_machine(R"(machine m
memory host kind=host size=1GB
memory gpu[0-1] size=1GB
chip big workspace=10 scratch=20 reserve=100
device gpu0 memory=gpu0 d=1T chip=big
device gpu1 memory=gpu1 d=1T
link host -> gpu[0-1] bandwidth=1GB/s
link gpu[0-1] -> host bandwidth=1GB/s
)");
    plan.queues = {{QueueKind::compute, 0},
                   {QueueKind::transfer, 0},
                   {QueueKind::compute, 1},
                   {QueueKind::compute, 0},
                   {QueueKind::compute, 0}};
    return plan;
}

TEST(Queues, each_compute_queue_has_room_for_its_kernels) {
    const Plan plan = two_devices();
    EXPECT_EQ(kernel_room(plan, 0), 0);
    EXPECT_EQ(kernel_room(plan, 1), 3 * 30);
    EXPECT_GT(kernel_room(plan, 2), 0) << "as any GPU where its chip is not known";
}

}  // namespace
}  // namespace gemmill::test
