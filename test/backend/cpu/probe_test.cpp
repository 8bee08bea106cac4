// SPDX-License-Identifier: Apache-2.0
// The host as a machine, from facts that are given and from those of this host.
#include "backend/cpu/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

const HostFacts facts{.cores = 8, .hertz = 2.5e9, .flops_per_cycle = 16, .memory = 9'000'000};

TEST(Probe, InstructionSetsGiveFlopsACycle) {
    EXPECT_EQ(flops_per_cycle("flags\t\t: fpu sse2 avx2 fma avx512f avx512cd\n"), 32);
    EXPECT_EQ(flops_per_cycle("processor : 0\nflags : fpu avx2 fma sse2\n"), 16);
    EXPECT_EQ(flops_per_cycle("flags : fpu avx2 sse2\n"), 4);
    EXPECT_EQ(flops_per_cycle("model name : avx512f fma avx2\n"), 4);
    EXPECT_EQ(flops_per_cycle(""), 4);
    EXPECT_EQ(flops_per_cycle(": :\n:\n"), 4);
}

TEST(Probe, ClockIsTheHighestNamed) {
    EXPECT_EQ(clock_of("cpu MHz\t\t: 2300.000\ncpu MHz : 3100.5\n"), 3100.5e6);
    EXPECT_EQ(clock_of("cpu MHz : fast\n"), 0);
    EXPECT_EQ(clock_of(""), 0);
}

TEST(Probe, PeakIsCoresTimesClockTimesFlops) {
    const Machine m = host_machine(facts);
    EXPECT_THAT(check(m), testing::IsEmpty());
    const double peak = 8 * 2.5e9 * 16;
    EXPECT_EQ(m.devices.at(0).peak,
              (std::array{2 * peak, peak, 2 * peak, peak, 1.4 * peak, 1.4 * peak}));
    EXPECT_THAT(m.devices[0].origin, testing::HasSubstr("h and b by converting to s: 70 %"));
    EXPECT_EQ(m.devices[0].memory, 0);
    EXPECT_EQ(m.memories.at(0).kind, MemoryKind::host);
    EXPECT_EQ(m.memories[0].capacity, facts.memory);
    EXPECT_EQ(parse_machine(to_text(m)), m);
}

TEST(Probe, ThisHostIsASoundMachine) {
    const Machine m = probe_host();
    EXPECT_THAT(check(m), testing::IsEmpty());
    EXPECT_GE(host_facts().cores, 1);
    EXPECT_GT(m.devices.at(0).peak[static_cast<int>(Type::d)], 0);
}

TEST(Probe, CpuDevicesShareTheHostEvenly) {
    const Machine host = host_machine(facts);
    const Machine m = cpu_machine(host, 3);
    EXPECT_THAT(check(m), testing::IsEmpty());
    ASSERT_EQ(m.devices.size(), 3U);
    ASSERT_EQ(m.memories.size(), 4U);
    EXPECT_EQ(m.links.size(), 15U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(m.devices[i].name, "cpu" + std::to_string(i));
        EXPECT_EQ(m.memories[i + 1].kind, MemoryKind::device);
        EXPECT_EQ(m.memories[i + 1].capacity, facts.memory / 4);
        EXPECT_DOUBLE_EQ(3 * m.devices[i].peak[0], host.devices[0].peak[0]);
    }
    for (const Link& l : m.links) EXPECT_EQ(l.resources, std::vector<ResourceId>{0});
    EXPECT_EQ(m.resources.at(0).name, "memory");
    EXPECT_EQ(m.resources[0].bandwidth, host.devices[0].bandwidth);
    EXPECT_EQ(parse_machine(to_text(m)), m);
}

TEST(Probe, DeviceCountsAreChecked) {
    const Machine host = host_machine(facts);
    for (const int devices : {0, -1, 257}) {
        try {
            (void)cpu_machine(host, devices);
            ADD_FAILURE() << devices << " devices were made";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::bad_argument);
        }
    }
    EXPECT_THROW((void)cpu_machine(Machine(), 1), Error);
}

}  // namespace
}  // namespace gemmill
