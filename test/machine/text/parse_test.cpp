// SPDX-License-Identifier: Apache-2.0
// The text form: lists, both kinds of arrow, faults with their line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/machines.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

using test::error_of;

const std::string head =
    "machine m\n"
    "memory host kind=host size=1GB\n"
    "memory gpu[0-3] size=1GB\n"
    "resource bus[0-1] 5GB/s\n";

/// The links of a text behind `head`, as "from>to via,via".
std::vector<std::string> links_of(const std::string& lines) {
    const Machine m = parse_machine(head + lines);
    std::vector<std::string> texts;
    for (const Link& l : m.links) {
        std::string text = m.memories[l.from].name + ">" + m.memories[l.to].name;
        for (const ResourceId r : l.resources) text += " " + m.resources[r].name;
        texts.push_back(text);
    }
    return texts;
}

TEST(MachineText, ReadsEveryField) {
    const Machine m = parse_machine(
        "machine hgx issue=5us call=50us origin=\"a b\"\n"
        "memory host kind=host size=1TB origin=x\n"
        "memory gpu0 kind=device size=40GB\n"
        "device g memory=gpu0 queues=8 launch=10us bandwidth=1.5TB/s s=1T d=2T c=3T z=4T h=5T "
        "b=6T\n"
        "resource r 24GB/s origin=y\n"
        "link host -> gpu0 bandwidth=24GB/s latency=10us run_overhead=1.5kB via=r origin=z\n");
    EXPECT_EQ(m.name, "hgx");
    EXPECT_EQ(m.origin, "a b");
    EXPECT_DOUBLE_EQ(m.call, 50e-6);
    EXPECT_EQ(m.memories[0].kind, MemoryKind::host);
    EXPECT_EQ(m.memories[1].capacity, 40'000'000'000);
    EXPECT_EQ(m.devices[0].peak, (std::array{1e12, 2e12, 3e12, 4e12, 5e12, 6e12}));
    EXPECT_EQ(m.devices[0].queues, 8);
    EXPECT_EQ(m.resources[0].origin, "y");
    EXPECT_EQ(m.links[0].run_overhead, 1500);
    EXPECT_EQ(m.links[0].resources, std::vector<ResourceId>{0});
}

TEST(MachineText, ArrowPairsListsOneByOne) {
    EXPECT_EQ(links_of("link host -> gpu[0-3] bandwidth=1GB/s via=bus[0-1x2]\n"),
              (std::vector<std::string>{"host>gpu0 bus0", "host>gpu1 bus0", "host>gpu2 bus1",
                                        "host>gpu3 bus1"}));
    EXPECT_EQ(links_of("link gpu[0,2] -> gpu[3,2] bandwidth=1GB/s via=bus[0,1],bus[1,0]\n"),
              (std::vector<std::string>{"gpu0>gpu3 bus0 bus1", "gpu2>gpu2 bus1 bus0"}));
    EXPECT_EQ(links_of("link gpu[0-1,3] -> host bandwidth=1GB/s\n"),
              (std::vector<std::string>{"gpu0>host", "gpu1>host", "gpu3>host"}));
}

TEST(MachineText, DoubleArrowMakesAllPairs) {
    EXPECT_EQ(links_of("link gpu[0-2] => gpu[0-2] bandwidth=1GB/s\n").size(), 6U);
    EXPECT_EQ(links_of("link gpu[0-1] => gpu[1-3] bandwidth=1GB/s\n").size(), 5U);
    EXPECT_EQ(
        links_of("resource gpu[0-1].out 1GB/s\nresource gpu[0-1].in 1GB/s\n"
                 "link gpu[0-1] => gpu[0-1] bandwidth=1GB/s via={from}.out,{to}.in\n"),
        (std::vector<std::string>{"gpu0>gpu1 gpu0.out gpu1.in", "gpu1>gpu0 gpu1.out gpu0.in"}));
    EXPECT_EQ(links_of("resource gpu[0-1].port 1GB/s\n"
                       "link gpu[0-1] -> gpu[0-1] bandwidth=1GB/s via={from}.port\n"),
              (std::vector<std::string>{"gpu0>gpu0 gpu0.port", "gpu1>gpu1 gpu1.port"}));
}

TEST(MachineText, RecordsMayStandInAnyOrder) {
    const Machine m = parse_machine(
        "link host -> gpu bandwidth=1GB/s via=r\ndevice d memory=gpu\nresource r 1GB/s\n"
        "memory host kind=host size=1\nmemory gpu size=1\nmachine late\n");
    EXPECT_EQ(m.links[0].to, 1);
    EXPECT_EQ(m.devices[0].memory, 1);
}

struct Bad {
    const char* line;
    const char* words;
};

TEST(MachineText, FaultsNameTheLineAndWhatWasExpected) {
    const Bad cases[] = {
        {"cable a b", "machine, memory, chip, efficiency, device, rates, resource"},
        {"size=3", "machine, memory, chip, efficiency, device, rates, resource"},
        {"machine again", "second machine"},
        {"memory x size=1GB colour=red", "unknown key 'colour'; a memory takes kind, size, origin"},
        {"memory x", "'size' is missing"},
        {"memory x y size=1GB", "expected memory NAME"},
        {"memory x size=big", "size"},
        {"memory x size=99999999999999999999", "size"},
        {"memory x kind=disk size=1GB", "host or device"},
        {"memory host size=1GB", "memory 'host' is given twice"},
        {"memory gpu[3-4] size=1GB", "memory 'gpu3' is given twice"},
        {"memory a,b size=1GB", "no memory name"},
        {"memory x{} size=1GB", "no memory name"},
        {"memory x[ size=1GB", "[ without ]"},
        {"memory x[] size=1GB", "list '': '' is not a whole number"},
        {"memory x[3-1] size=1GB", "3 comes after 1"},
        {"memory x[0-4096] size=1GB", "more than 4096"},
        {"memory x[0-999999999] size=1GB", "more than 4096"},
        {"memory x[0x5000] size=1GB", "more than 4096"},
        {"memory x[0-3000,0-3000] size=1GB", "more than 4096"},
        {"memory x[0x0] size=1GB", "0 times"},
        {"memory x[a-b] size=1GB", "whole number"},
        {"memory x[-1] size=1GB", "whole number"},
        {"memory x[99999999999] size=1GB", "out of range"},
        {"memory x[0-1]y[0-2] size=1GB", "lists of 2 and 3"},
        {"resource r", "expected resource NAME BANDWIDTH"},
        {"resource r fast", "bandwidth"},
        {"resource bus1 1GB/s", "resource 'bus1' is given twice"},
        {"device d", "'memory' is missing"},
        {"device d memory=tape", "unknown memory 'tape'; expected gpu0, gpu1, gpu2, gpu3, host"},
        {"device d[0-1] memory=gpu[0-2]", "lists of 2 and 3"},
        {"device d[0,0] memory=host", "device 'd0' is given twice"},
        {"device d memory=host queues=0", "queues"},
        {"device d memory=host queues=many", "queues"},
        {"device d memory=host d=-1T", "d: '-1T'"},
        {"device d memory=host x=1T", "unknown key 'x'"},
        {"link host gpu0 bandwidth=1GB/s", "expected link FROM -> TO"},
        {"link host >> gpu0 bandwidth=1GB/s", "expected -> or =>"},
        {"link host -> gpu0", "'bandwidth' is missing"},
        {"link host -> gpu9 bandwidth=1GB/s", "unknown memory 'gpu9'"},
        {"link host -> gpu[0,0] bandwidth=1GB/s", "link host -> gpu0 is given twice"},
        {"link host -> gpu0 bandwidth=1GB/s via=train", "unknown resource 'train'"},
        {"link host -> gpu0 bandwidth=1GB/s via=", "unknown resource ''"},
        {"link host -> gpu0 bandwidth=1GB/s via={from}.out", "unknown resource 'host.out'"},
        {"link host -> gpu[0-2] bandwidth=1GB/s via=bus[0-1]", "expected the same length"},
        {"link gpu[0-1] => gpu[0-1] bandwidth=1GB/s via=bus[0-1]", "{from} and {to}"},
        {"link gpu[0-256] => gpu[0-256] bandwidth=1GB/s", "at most 65536"},
        {"link host -> gpu0 bandwidth=1GB/s latency=-1us", "latency"},
        {"link host -> gpu0 bandwidth=1GB/s run_overhead=inf", "run_overhead"},
        {"link host -> gpu0 bandwidth=1GB/s run_overhead=-3", "run_overhead"},
        {"link host -> gpu0 bandwidth=1GB/s run_overhead=x", "run_overhead"},
        {"library", "expected library NAME"},
        {"library x call=soon", "call"},
        {"library x latency=1us", "unknown key 'latency'"},
    };
    for (const Bad& bad : cases) {
        const Error error = error_of([&] { (void)parse_machine(head + bad.line + "\n"); });
        EXPECT_EQ(error.code(), Code::parse) << bad.line;
        EXPECT_EQ(error.text().rfind("line 5: ", 0), 0U) << bad.line << ": " << error.text();
        EXPECT_NE(error.text().find(bad.words), std::string::npos)
            << bad.line << ": " << error.text();
    }
    EXPECT_EQ(error_of([] { (void)parse_machine(""); }).code(), Code::parse);
    EXPECT_EQ(error_of([] { (void)parse_machine("memory x size=1\n"); }).code(), Code::parse);
}

TEST(MachineText, LongNamesAreRefusedBeforeTheyMultiply) {
    const std::string line = "memory " + std::string(300, 'x') + "[0-4095] size=1GB\n";
    EXPECT_EQ(error_of([&] { (void)parse_machine(head + line); }).code(), Code::parse);
}

/// What one record stands for many times is limited, so that a short file is a small machine.
TEST(MachineText, LargeFilesGiveShortErrorsAndNoLargeMachine) {
    const std::string huge(2'000'000, 'x');
    const std::string large =
        "machine m\nmemory host kind=host size=1GB\nmemory g[0-4095] size=1GB\n"
        "device g[0-4095] memory=g[0-4095] bandwidth=1TB/s d=1T\nresource bus 1GB/s\n";
    std::string fields = "memory x", memories, resources = "bus", numbers = "1";
    for (int i = 0; i < 100'000; ++i) fields += fmt::format(" k{}=1", i);
    for (int i = 0; i < 5; ++i) memories += fmt::format("memory m{}_[0-4095] size=1GB\n", i);
    for (int i = 0; i < 100; ++i) resources += ",bus";
    for (int i = 0; i < 2000; ++i) numbers += fmt::format(",{}", i + 2);
    const std::pair<std::string, const char*> cases[] = {
        {huge, "is no record"},
        {"memory " + huge + " size=1GB", "more than 256 characters"},
        {"memory x size=" + huge, "is not a size"},
        {"memory x " + huge + "=1", "unknown key"},
        {"memory x[" + huge + "] size=1GB", "is not a whole number"},
        {"memory x size=1GB origin=" + huge, "expected at most 1000"},
        {"link host -> g0 bandwidth=1GB/s via=" + huge, "more than 256 characters"},
        {"link host " + huge + " g0 bandwidth=1GB/s", "between the memories"},
        {"machine " + huge, "a second machine"},
        {fields, "too many fields"},
        {memories, "there are 16384 already"},
        {"link host -> g0 bandwidth=1GB/s via=" + resources, "too many resources"},
        {"rates g[0-4095] type=d edges=" + numbers + " ks=1 flops=1", "too many numbers"},
        {"rates g0 type=d edges=1 ks=1 flops=1G\nrates g0 type=d edges=1 ks=1 flops=1G",
         "given twice"},
    };
    for (const auto& [line, words] : cases) {
        const Error error = error_of([&] { (void)parse_machine(large + line + "\n"); });
        EXPECT_EQ(error.code(), Code::parse) << words;
        EXPECT_NE(error.text().find(words), std::string::npos) << error.text().substr(0, 500);
        EXPECT_LE(error.text().size(), 300U);
    }
}

}  // namespace
}  // namespace gemmill
