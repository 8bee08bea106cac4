// SPDX-License-Identifier: Apache-2.0
// Looking up memories, devices and links.
#include "gemmill/machine.hpp"

#include <gtest/gtest.h>

#include "machine/machines.hpp"

namespace gemmill {
namespace {

TEST(Machine, FindsLinksByDirection) {
    const Machine m = test::small_machine();
    EXPECT_EQ(find_link(m, 0, 1), 0);
    EXPECT_EQ(find_link(m, 1, 0), 1);
    EXPECT_EQ(find_link(m, 0, 2), -1);
    EXPECT_EQ(find_link(m, -1, 7), -1);
}

TEST(Machine, FindsMemoriesByNameAliasAndDevice) {
    const Machine m = test::small_machine();
    EXPECT_EQ(find_memory(m, "gpu1"), 2);
    EXPECT_EQ(find_memory(m, "host"), 0);
    EXPECT_EQ(find_memory(m, "h"), 0);
    EXPECT_EQ(find_memory(m, "0"), 1);
    EXPECT_EQ(find_memory(m, "1"), 2);
    for (const char* name : {"2", "-1", "", "gpu", "1x", "99999999999999999999"})
        EXPECT_EQ(find_memory(m, name), -1) << name;
}

TEST(Machine, TheHostAliasNeedsNoMemoryOfThatName) {
    Machine m = test::small_machine();
    m.memories[0].name = "ram";
    EXPECT_EQ(find_memory(m, "host"), 0);
    m.memories[0].kind = MemoryKind::device;
    EXPECT_EQ(find_memory(m, "h"), -1);
}

TEST(Machine, FindsDevicesByName) {
    const Machine m = test::small_machine();
    EXPECT_EQ(find_device(m, "gpu1"), 1);
    EXPECT_EQ(find_device(m, "host"), -1);
    EXPECT_EQ(find_device(Machine(), "x"), -1);
}

}  // namespace
}  // namespace gemmill
