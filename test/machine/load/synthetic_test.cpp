// SPDX-License-Identifier: Apache-2.0
// Machines out of one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/machines.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

std::vector<std::string> resource_names(const Machine& m, LinkId link) {
    std::vector<std::string> names;
    for (const ResourceId r : m.links.at(static_cast<std::size_t>(link)).resources)
        names.push_back(m.resources[r].name);
    return names;
}

TEST(Synthetic, ReadsEveryPart) {
    const Machine m = synthetic_machine(
        "gpu:4(mem=40GB,d=10T,s=20T,h=90T,bandwidth=2TB/s,queues=3,launch=4us) nvswitch:300GB/s "
        "pcie:25GB/s(shared=2,latency=8us,run_overhead=900B) host:1TB(read=80GB/s,write=70GB/s)");
    EXPECT_THAT(check(m), testing::IsEmpty());
    EXPECT_EQ(m.devices.size(), 4U);
    EXPECT_EQ(m.memories[0].capacity, 1'000'000'000'000);
    EXPECT_EQ(m.memories[4].capacity, 40'000'000'000);
    EXPECT_EQ(m.devices[2].peak, (std::array{20e12, 10e12, 20e12, 10e12, 90e12, 0.0}));
    EXPECT_EQ(m.devices[2].queues, 3);
    EXPECT_EQ(m.links.size(), 4U * 2 + 4 * 3 + 4);
    const LinkId down = find_link(m, 0, 4), up = find_link(m, 3, 0);
    EXPECT_EQ(resource_names(m, down), (std::vector<std::string>{"host.read", "pcie1.down"}));
    EXPECT_EQ(resource_names(m, up), (std::vector<std::string>{"host.write", "pcie1.up"}));
    EXPECT_DOUBLE_EQ(m.links[down].latency, 8e-6);
    EXPECT_EQ(m.links[down].run_overhead, 900);
    EXPECT_EQ(resource_names(m, find_link(m, 1, 3)),
              (std::vector<std::string>{"gpu0.out", "gpu2.in"}));
    EXPECT_EQ(m.links[find_link(m, 2, 2)].bandwidth, 1e12);
}

TEST(Synthetic, DefaultsMakeASoundMachine) {
    const Machine m = synthetic_machine("  gpu:2  ");
    EXPECT_THAT(check(m), testing::IsEmpty());
    EXPECT_EQ(m.name, "gpu:2");
    EXPECT_EQ(find_link(m, 1, 2), -1);
    EXPECT_EQ(m.links[find_link(m, 0, 1)].bandwidth, 55e9);
    EXPECT_EQ(m.devices[0].peak[static_cast<int>(Type::z)], 60e12);
}

TEST(Synthetic, ANameLoadsTheSameMachineAgain) {
    const Machine m = synthetic_machine("gpu:3( mem=80GB, d=60T )  nvlink:450GB/s");
    EXPECT_EQ(load_machine(m.name), m);
    EXPECT_EQ(parse_machine(to_text(m)), m);
    EXPECT_EQ(machine_from_json(to_json(m)), m);
}

TEST(Synthetic, TheLastSwitchMayBePartlyUsed) {
    const Machine m = synthetic_machine("gpu:3 pcie:20GB/s(shared=2)");
    EXPECT_EQ(resource_names(m, find_link(m, 0, 3)), std::vector<std::string>{"pcie1.down"});
    EXPECT_EQ(resource_names(m, find_link(m, 0, 2)), std::vector<std::string>{"pcie0.down"});
    EXPECT_EQ(m.resources.size(), 4U);
}

TEST(Synthetic, FaultsSayWhatWasExpected) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "no gpu part"},
        {"host:2TB", "no gpu part"},
        {"gpu", "no colon"},
        {"gpu:0", "1..256"},
        {"gpu:257", "1..256"},
        {"gpu:many", "whole number"},
        {"gpu:2 gpu:2", "given twice"},
        {"gpu:2 nvlink:1GB/s nvswitch:1GB/s", "given twice"},
        {"gpu:2 tpu:2", "unknown part 'tpu'"},
        {"gpu:2(mem)", "KEY=VALUE"},
        {"gpu:2(colour=red)", "bandwidth, c, d, h, launch, mem"},
        {"gpu:2(mem=1GB,mem=2GB)", "'mem' is given twice"},
        {"gpu:2(mem=1GB", "( without )"},
        {"gpu:2)mem=1GB(", ") without ("},
        {"gpu:2(mem=1GB)x", "behind the closing )"},
        {"gpu:2 pcie:fast", "bandwidth"},
        {"gpu:2 pcie:1GB/s(shared=0)", "1..256"},
    };
    for (const auto& [line, words] : cases) {
        const Error error = test::error_of([line = line] { (void)synthetic_machine(line); });
        EXPECT_EQ(error.code(), Code::parse) << line;
        EXPECT_NE(error.text().find(words), std::string::npos) << line << ": " << error.text();
    }
}

}  // namespace
}  // namespace gemmill
