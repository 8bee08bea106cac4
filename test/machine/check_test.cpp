// SPDX-License-Identifier: Apache-2.0
// Every fault that check() knows, each made in a sound machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

#include "machine/machines.hpp"

namespace gemmill {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// One way to spoil the small machine, and what check() must say of it.
struct Spoiled {
    const char* name;
    std::function<void(Machine&)> spoil;
    std::vector<std::string> words;
    friend void PrintTo(const Spoiled& spoiled, std::ostream* out) { *out << spoiled.name; }
};

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

const std::vector<Spoiled>& spoiled_machines() {
    using M = Machine;
    static const std::vector<Spoiled> all{
        {"no_device", [](M& m) { m.devices.clear(); }, {"no device"}},
        {"no_host", [](M& m) { m.memories[0].kind = MemoryKind::device; }, {"no host memory"}},
        {"device_memory", [](M& m) { m.devices[1].memory = 3; }, {"gpu1", "memory 3"}},
        {"device_memory_unset", [](M& m) { m.devices[1].memory = -1; }, {"gpu1", "memory -1"}},
        {"link_from", [](M& m) { m.links[0].from = -1; }, {"link 0", "from -1"}},
        {"link_to", [](M& m) { m.links[0].to = 9; }, {"link 0", "to 9"}},
        {"link_resource", [](M& m) { m.links[0].resources = {1}; }, {"host -> gpu0", "resource 1"}},
        {"resource_twice",
         [](M& m) {
             m.links[0].resources = {0, 0};
         },
         {"host -> gpu0", "'bus'"}},
        {"memory_name", [](M& m) { m.memories[2].name = "gpu0"; }, {"two memory", "'gpu0'"}},
        {"device_name", [](M& m) { m.devices[1].name = "gpu0"; }, {"two device", "'gpu0'"}},
        {"resource_name",
         [](M& m) { m.resources.push_back(m.resources[0]); },
         {"two resource", "'bus'"}},
        {"empty_name", [](M& m) { m.memories[2].name = ""; }, {"memory 2", "''"}},
        {"odd_name", [](M& m) { m.devices[0].name = "gpu[0]"; }, {"device 0", "gpu[0]"}},
        {"long_name", [](M& m) { m.devices[0].name.assign(257, 'x'); }, {"device 0"}},
        {"link_twice", [](M& m) { m.links.push_back(m.links[0]); }, {"host -> gpu0", "twice"}},
        {"capacity", [](M& m) { m.memories[1].capacity = 0; }, {"memory 'gpu0'", "size is 0"}},
        {"link_bandwidth", [](M& m) { m.links[2].bandwidth = 0; }, {"gpu0 -> gpu1", "bandwidth"}},
        {"link_bandwidth_inf", [](M& m) { m.links[2].bandwidth = infinity; }, {"bandwidth is inf"}},
        {"resource_bandwidth", [](M& m) { m.resources[0].bandwidth = -1; }, {"'bus'", "-1"}},
        {"device_bandwidth", [](M& m) { m.devices[0].bandwidth = nan_value; }, {"'gpu0'", "nan"}},
        {"peaks_zero", [](M& m) { m.devices[0].peak = {}; }, {"'gpu0'", "peaks are 0"}},
        {"peak_negative", [](M& m) { m.devices[0].peak[1] = -1; }, {"'gpu0'", "peak d"}},
        {"peak_nan", [](M& m) { m.devices[0].peak[0] = nan_value; }, {"'gpu0'", "peak s"}},
        {"queues", [](M& m) { m.devices[0].queues = 0; }, {"'gpu0'", "queues is 0"}},
        {"launch", [](M& m) { m.devices[0].launch = -1; }, {"'gpu0'", "launch"}},
        {"latency", [](M& m) { m.links[0].latency = -1e-9; }, {"host -> gpu0", "latency"}},
        {"latency_nan", [](M& m) { m.links[0].latency = nan_value; }, {"host -> gpu0", "latency"}},
        {"run_overhead", [](M& m) { m.links[0].run_overhead = -1; }, {"run_overhead"}},
        {"issue", [](M& m) { m.issue = -1; }, {"machine", "issue"}},
        {"call", [](M& m) { m.call = infinity; }, {"machine", "call"}},
        {"peak_tiny", [](M& m) { m.devices[0].peak[1] = 1e-300; }, {"'gpu0'", "peak d is 1e-300"}},
        {"peak_huge", [](M& m) { m.devices[0].peak[1] = 1e25; }, {"'gpu0'", "1 to 1e+24"}},
        {"bandwidth_tiny", [](M& m) { m.links[0].bandwidth = 1e-9; }, {"host -> gpu0", "1e-09"}},
        {"bus_huge", [](M& m) { m.resources[0].bandwidth = 1e300; }, {"'bus'", "1e+300"}},
        {"latency_long",
         [](M& m) { m.links[0].latency = 1e7; },
         {"latency is 10000000", "0 to 1000000"}},
        {"launch_long", [](M& m) { m.devices[0].launch = 1e300; }, {"launch is 1e+300"}},
        {"issue_long", [](M& m) { m.issue = 1e300; }, {"machine", "issue"}},
        {"run_overhead_huge", [](M& m) { m.links[0].run_overhead = 1e300; }, {"run_overhead"}},
        {"library_call",
         [](M& m) {
             m.overheads.push_back({"lib", 1e300, 0, 0, 0, ""});
         },
         {"library 'lib'", "call"}},
        {"library_host",
         [](M& m) {
             m.overheads.push_back({"lib", 0, 0, 0, 1e-300, ""});
         },
         {"library 'lib'", "host"}},
        {"rates_tiny",
         [](M& m) {
             m.devices[0].rates.push_back({Type::d, {64}, {64}, {1e-300}});
         },
         {"rates of d", "flops is 1e-300"}},
        {"rates_edges",
         [](M& m) {
             m.devices[0].rates.push_back({Type::d, {1, nan_value}, {64}, {1e9, 1e9}});
         },
         {"rates of d", "must rise"}},
        {"rates_far",
         [](M& m) {
             m.devices[0].rates.push_back({Type::d, {1e300}, {64}, {1e9}});
         },
         {"rates of d", "must rise"}},
        {"name_control", [](M& m) { m.name = "\x1b[31m"; }, {"machine: name", "\\x1b[31m"}},
        {"origin_long", [](M& m) { m.origin.assign(100'000, 'x'); }, {"machine: origin", "1000"}},
        {"no_path_from", [](M& m) { m.links.erase(m.links.begin()); }, {"'gpu1'", "from host"}},
        {"no_path_to", [](M& m) { m.links.erase(m.links.begin() + 1); }, {"'gpu1'", "to host"}},
    };
    return all;
}

class CheckFault : public testing::TestWithParam<Spoiled> {};

TEST_P(CheckFault, IsSaidInWords) {
    Machine m = test::small_machine();
    GetParam().spoil(m);
    const std::vector<std::string> faults = check(m);
    std::vector<testing::Matcher<std::string>> words;
    for (const std::string& word : GetParam().words) words.emplace_back(HasSubstr(word));
    EXPECT_THAT(faults, Contains(testing::AllOfArray(words)));
}

INSTANTIATE_TEST_SUITE_P(All, CheckFault, testing::ValuesIn(spoiled_machines()),
                         [](const auto& spoiled) { return std::string(spoiled.param.name); });

TEST(Check, ASoundMachineHasNoFaults) {
    EXPECT_THAT(check(test::small_machine()), testing::IsEmpty());
}

TEST(Check, ALinkMayBeFasterThanItsResource) {
    Machine m = test::small_machine();
    m.links[0].bandwidth = 100 * m.resources[0].bandwidth;
    EXPECT_THAT(check(m), testing::IsEmpty());
}

TEST(Check, ACpuMayComputeInHostMemory) {
    const Machine m = parse_machine(
        "machine bare\nmemory host kind=host size=1GB\n"
        "device cpu memory=host bandwidth=10GB/s d=100G\n");
    EXPECT_THAT(check(m), testing::IsEmpty());
}

TEST(Check, AnEmptyMachineIsFaultyButHarmless) { EXPECT_EQ(check(Machine()).size(), 2U); }

TEST(Check, RandomMachinesGiveWordsOnly) {
    for (unsigned seed = 0; seed < 300; ++seed)
        for (const std::string& fault : check(test::RandomMachine(seed).make()))
            EXPECT_FALSE(fault.empty());
}

}  // namespace
}  // namespace gemmill
