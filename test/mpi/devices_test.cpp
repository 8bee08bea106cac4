// SPDX-License-Identifier: Apache-2.0
#include "mpi/devices.hpp"

#include <gtest/gtest.h>

#include "gemmill/context.hpp"

namespace gemmill::test {
namespace {

Machine with_gpus(int count) {
    return synthetic_machine("gpu:" + std::to_string(count) + "(mem=80GB,d=10T) pcie:20GB/s");
}

Options with(const char* devices, std::int64_t memory = 0) {
    Options options;
    options.devices = devices, options.device_memory = memory;
    return options;
}

TEST(DevicesOfRank, ranks_take_turns_with_the_gpus) {
    const Machine two = with_gpus(2);
    EXPECT_EQ(options_of_rank(with("auto"), two, {0, 4}).devices, "cuda:0");
    EXPECT_EQ(options_of_rank(with("auto"), two, {3, 4}).devices, "cuda:1");
    EXPECT_EQ(options_of_rank(with("cuda"), with_gpus(6), {1, 2}).devices, "cuda:1,3,5");
    EXPECT_EQ(options_of_rank(with("cuda"), with_gpus(6), {1, 2}).device_memory, 0);
}

TEST(DevicesOfRank, share_the_memory_of_a_gpu_unless_told) {
    const Machine one = with_gpus(1);
    EXPECT_EQ(options_of_rank(with("auto"), one, {2, 4}).device_memory, 20'000'000'000);
    EXPECT_EQ(options_of_rank(with("cuda:0"), one, {2, 4}).device_memory, 20'000'000'000);
    EXPECT_EQ(options_of_rank(with("cuda:0"), one, {2, 4}).devices, "cuda:0");
    EXPECT_EQ(options_of_rank(with("auto", 4096), one, {2, 4}).device_memory, 4096);
    EXPECT_EQ(options_of_rank(with("auto"), with_gpus(3), {0, 4}).device_memory, 40'000'000'000);
}

TEST(DevicesOfRank, three_quarters_of_one_gpu_are_for_sums_and_panels) {
    const RankDevices mine = devices_of_rank(with("auto"), with_gpus(1), {2, 4});
    EXPECT_EQ(mine.options.devices, "cuda:0");
    EXPECT_EQ(mine.sums, 15'000'000'000);
    EXPECT_EQ(mine.options.device_memory, 5'000'000'000);
    EXPECT_EQ(devices_of_rank(with("auto", 4096), with_gpus(1), {2, 4}).sums, 3072);
    EXPECT_EQ(devices_of_rank(with("cuda:0"), with_gpus(1), {0, 1}).sums, 60'000'000'000);
    EXPECT_EQ(devices_of_rank(with("auto"), with_gpus(4), {1, 2}).sums, 0);
    EXPECT_EQ(devices_of_rank(with("auto"), Machine{}, {0, 2}).sums, 0);
}

TEST(DevicesOfRank, the_host_as_a_device_is_no_gpu) {
    const Machine host = Context(with("auto")).machine();
    ASSERT_FALSE(host.devices.empty());
    const Memory& memory = host.memories[static_cast<std::size_t>(host.devices[0].memory)];
    if (memory.kind != MemoryKind::host) GTEST_SKIP() << "this host has GPUs";
    EXPECT_EQ(options_of_rank(with("auto"), host, {1, 4}).devices, "auto");
}

TEST(DevicesOfRank, without_gpus_or_others_nothing_changes) {
    EXPECT_EQ(options_of_rank(with("auto"), Machine{}, {1, 4}).devices, "auto");
    EXPECT_EQ(options_of_rank(with("auto"), with_gpus(2), {0, 1}).devices, "auto");
    EXPECT_EQ(options_of_rank(with("cpu:2"), with_gpus(2), {0, 2}).device_memory, 0);
}

}  // namespace
}  // namespace gemmill::test
