// SPDX-License-Identifier: Apache-2.0
// What is printed reads back as the same machine.
#include <gtest/gtest.h>

#include "machine/machines.hpp"
#include "support/error_of.hpp"

namespace gemmill {
namespace {

using test::error_of;

TEST(MachinePrint, ZeroAndEmptyAreLeftOut) {
    EXPECT_EQ(to_text(test::small_machine()),
              "machine small issue=1e-06 call=2e-06 origin=\"made up\"\n"
              "memory host kind=host size=1000000000\n"
              "memory gpu0 size=100000000\n"
              "memory gpu1 size=100000000\n"
              "device gpu0 memory=gpu0 queues=2 launch=1e-06 bandwidth=1000000000000 "
              "s=2000000000000 d=1000000000000\n"
              "device gpu1 memory=gpu1 queues=2 launch=1e-06 bandwidth=1000000000000 "
              "s=2000000000000 d=1000000000000\n"
              "resource bus 10000000000\n"
              "link host -> gpu0 bandwidth=8000000000 latency=1e-06 run_overhead=100 via=bus\n"
              "link gpu0 -> host bandwidth=8000000000 via=bus\n"
              "link gpu0 -> gpu1 bandwidth=50000000000\n"
              "link gpu1 -> gpu0 bandwidth=50000000000\n");
}

TEST(MachinePrint, CatalogueReadsBack) {
    for (const std::string& name : catalogue_names()) {
        const Machine m = load_machine(name);
        EXPECT_EQ(parse_machine(to_text(m)), m) << name;
    }
}

TEST(MachinePrint, RandomMachinesReadBack) {
    for (unsigned seed = 0; seed < 1000; ++seed) {
        const Machine m = test::RandomMachine(seed).make();
        ASSERT_EQ(parse_machine(to_text(m)), m) << to_text(m);
    }
}

TEST(MachinePrint, BytesAndOddOriginsStayExact) {
    Machine m = test::small_machine();
    m.name = "a \"name\"\n";
    m.memories[0].capacity = (std::int64_t{1} << 62) + 1;
    m.links[0].run_overhead = 0.1;
    m.packers = 6;
    m.slot = (4 << 20) + 1;
    m.links[0].origin = "line\nwith \\n, [0-3], {from}, # and = \xff";
    EXPECT_EQ(parse_machine(to_text(m)), m);
}

TEST(MachinePrint, AnUnsoundMachinePrintsButDoesNotParse) {
    Machine m = test::small_machine();
    m.devices[0].memory = 12;
    EXPECT_NE(to_text(m).find("memory=?12"), std::string::npos);
    EXPECT_EQ(error_of([&] { (void)parse_machine(to_text(m)); }).code(), Code::parse);
}

}  // namespace
}  // namespace gemmill
