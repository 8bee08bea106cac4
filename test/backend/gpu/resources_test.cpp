// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/resources.hpp"

#include <gtest/gtest.h>

#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

TEST(Resources, gpus_are_lost_one_by_one) {
    LostGpus lost;
    for (int gpu = -1; gpu < 3; ++gpu) EXPECT_FALSE(lost.has(gpu));
    lost.add(1);
    lost.add(1);
    for (int gpu = -1; gpu < 3; ++gpu) EXPECT_EQ(lost.has(gpu), gpu == 1);
}

TEST(Resources, a_fault_is_an_error_of_its_kind) {
    const GpuDriver& driver = fake_gpu_driver();
    EXPECT_NO_THROW(require_ok(driver, 0, "nothing"));
    for (const auto& [fault, code] : {std::pair{FakeGpus::bad_call, Code::failed_step},
                                      {FakeGpus::no_memory, Code::out_of_memory},
                                      {FakeGpus::gone, Code::no_device}})
        try {
            require_ok(driver, fault, "a copy");
            ADD_FAILURE() << fault;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            EXPECT_NE(error.text().find("a copy"), std::string::npos) << error.text();
        }
}

TEST(Resources, kernels_have_the_room_that_the_chip_says) {
    Machine machine = synthetic_machine("gpu:1");
    Chip chip;
    chip.name = "c", chip.workspace = 5, chip.scratch = 6, chip.reserve = 20;
    machine.chips.push_back(chip);
    machine.devices[0].chip = 0;
    const GpuRoom room = room_of(machine, machine.devices[0]);
    EXPECT_EQ(room.workspace, 5U);
    EXPECT_EQ(room.scratch, 6U);
}

/// Sessions have compute lanes of their own and share those of copies.
TEST(Resources, lanes_are_opened_once) {
    FakeGpus::instance().reset();
    Lanes lanes(fake_gpu_driver());
    Plan plan;
    plan.machine = synthetic_machine("gpu:1");
    plan.queues = {{QueueKind::compute, 0}, {QueueKind::compute, 0}, {QueueKind::transfer, 0}};
    const std::vector<int> ordinals{-1, 0};
    const std::vector<Lane> one = lanes.of(plan, ordinals, 0), again = lanes.of(plan, ordinals, 0);
    const std::vector<Lane> other = lanes.of(plan, ordinals, 1);
    for (std::size_t q = 0; q < 3; ++q) EXPECT_EQ(one[q].stream, again[q].stream);
    EXPECT_NE(one[0].stream, one[1].stream);
    EXPECT_NE(one[0].stream, other[0].stream);
    EXPECT_EQ(one[2].stream, other[2].stream);
    EXPECT_NE(one[0].blas, nullptr);
    EXPECT_EQ(one[2].blas, nullptr);
}

/// Whatever other queues a plan has: a lane is what it was opened as.
TEST(Resources, urgent_queues_have_urgent_streams) {
    FakeGpus::instance().reset();
    Lanes lanes(fake_gpu_driver());
    Plan plan;
    plan.machine = synthetic_machine("gpu:1");
    plan.queues = {
        {QueueKind::compute, 0}, {QueueKind::compute, 0, true}, {QueueKind::transfer, 0}};
    const std::vector<int> ordinals{-1, 0};
    const std::vector<Lane> one = lanes.of(plan, ordinals, 0);
    EXPECT_FALSE(one[0].stream->urgent);
    EXPECT_TRUE(one[1].stream->urgent);
    EXPECT_TRUE(one[2].stream->urgent);
    EXPECT_NE(one[1].blas, nullptr);
    plan.queues = {{QueueKind::compute, 0, true}, {QueueKind::compute, 0}, {QueueKind::compute, 0}};
    const std::vector<Lane> other = lanes.of(plan, ordinals, 0);
    EXPECT_EQ(other[0].stream, one[1].stream);
    EXPECT_EQ(other[1].stream, one[0].stream);
    EXPECT_FALSE(other[2].stream->urgent);
}

}  // namespace
}  // namespace gemmill::test
