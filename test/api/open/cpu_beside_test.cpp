// SPDX-License-Identifier: Apache-2.0
#include "api/open/cpu_beside.hpp"

#include <gtest/gtest.h>

#include "model/cost.hpp"
#include "planner/candidate/beside.hpp"
#include "support/level3_case.hpp"

namespace gemmill::test {
namespace {

constexpr std::size_t d = static_cast<std::size_t>(Type::d), s = static_cast<std::size_t>(Type::s);

CpuBeside cpu_of(double doubles, double singles) {
    CpuBeside cpu;
    cpu.device.name = "cpu";
    cpu.device.peak = {singles, doubles, singles, doubles, 0, 0};
    cpu.chip.name = "cpu";
    return cpu;
}

const NarrowProducts products{1024, 512, {64, 256, 1024}};

/// Seconds of a gemm of n x n x n that a CPU makes alone but for a part of its columns.
double seconds_of(const CpuBeside& cpu, index_t n, double part) {
    Draft frame;
    frame.machine = load_machine("gpu:1");
    frame.machine.devices.push_back(cpu.device);
    frame.machine.devices.back().memory = 0;
    frame.machine.devices.back().chip = static_cast<ChipId>(frame.machine.chips.size());
    frame.machine.chips.push_back(cpu.chip);
    frame.devices = {0, 1};
    frame.problem.m = frame.problem.n = frame.problem.k = n;
    return cpu_seconds(frame, 1, part);
}

TEST(CpuBeside, a_part_takes_as_long_as_was_measured_of_so_many_lines) {
    CpuBeside cpu = cpu_of(500e9, 900e9);
    fit_to_measured(cpu, products, {400e9, 550e9, 600e9}, 14);
    EXPECT_DOUBLE_EQ(cpu.device.peak[d], 600e9);
    EXPECT_DOUBLE_EQ(cpu.device.peak[s], 1080e9) << "off as far as doubles";
    const double line = 2.0 * 16384 * 16384;
    EXPECT_NEAR(seconds_of(cpu, 16384, 64.0 / 16384), 64 * line / 400e9, 1e-9);
    EXPECT_NEAR(seconds_of(cpu, 16384, 256.0 / 16384), 256 * line / 550e9, 1e-9);
    EXPECT_NEAR(seconds_of(cpu, 16384, 512.0 / 16384), 512 * line / 575e9, 1e-9) << "in between";
    EXPECT_NEAR(seconds_of(cpu, 16384, 1), 16384 * line / 600e9, 1e-6) << "of many lines";
    EXPECT_NEAR(seconds_of(cpu, 16384, 16.0 / 16384), 16 * line / 400e9, 1e-9) << "of few lines";
}

/// What a file says of a product is compared with what was measured of the same one.
TEST(CpuBeside, rates_by_shape_keep_their_shape) {
    CpuBeside cpu = cpu_of(500e9, 900e9);
    cpu.device.rates = {{Type::d, {256, 512, 1024}, {512}, {250e9, 400e9, 500e9}}};
    const std::vector<double> half{125e9, 200e9, 250e9};  // of what it says, for all of them
    fit_to_measured(cpu, products, half, 14);
    EXPECT_EQ(cpu.device.rates.front().flops, half);
    EXPECT_DOUBLE_EQ(cpu.device.peak[d], 250e9);
    for (const double part : cpu.chip.efficiencies.back().parts) EXPECT_DOUBLE_EQ(part, 1);
}

TEST(CpuBeside, a_machine_whose_cpu_has_no_rate_stays_as_it_is) {
    CpuBeside cpu = cpu_of(0, 0);
    fit_to_measured(cpu, products, {400e9, 550e9, 600e9}, 14);
    EXPECT_EQ(cpu.device, cpu_of(0, 0).device);
    EXPECT_TRUE(cpu.chip.efficiencies.empty());
}

TEST(CpuBeside, cores_that_pack_do_not_compute) {
    const CpuBeside cpu = cpu_beside(load_machine("gpu:1"), 16, 4);
    EXPECT_EQ(cpu.device.name, "cpu");
    EXPECT_EQ(cpu.chip.efficiencies.front().op, "packing");
    EXPECT_DOUBLE_EQ(cpu.chip.efficiencies.front().parts.front(), 0.75);
}

}  // namespace
}  // namespace gemmill::test
