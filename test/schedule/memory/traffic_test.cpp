// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/traffic.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

/// Two links from the host share a resource.
Machine shared() {
    Machine m;
    m.memories = {{"host", MemoryKind::host, 1, ""},
                  {"gpu0", MemoryKind::device, 1, ""},
                  {"gpu1", MemoryKind::device, 1, ""}};
    m.resources = {{"switch", 10, ""}};
    m.links = {{0, 1, 10, 1, 0, {0}, ""}, {0, 2, 10, 1, 0, {0}, ""}, {1, 2, 100, 0, 0, {}, ""}};
    return m;
}

TEST(Traffic, knows_which_links_there_are) {
    const Machine machine = shared();
    const Traffic traffic(machine);
    EXPECT_EQ(traffic.link(0, 2), 1);
    EXPECT_EQ(traffic.link(2, 1), -1);
}

TEST(Traffic, what_is_on_the_way_comes_first) {
    const Machine machine = shared();
    Traffic traffic(machine);
    EXPECT_DOUBLE_EQ(traffic.seconds(0, 100), 11);
    traffic.begin(0, 100);
    EXPECT_DOUBLE_EQ(traffic.seconds(0, 100), 21) << "behind what its queue has";
    EXPECT_DOUBLE_EQ(traffic.seconds(1, 100), 21) << "they share the switch";
    EXPECT_DOUBLE_EQ(traffic.seconds(2, 100), 1) << "this one does not";
    traffic.end(0, 100);
    EXPECT_DOUBLE_EQ(traffic.seconds(1, 100), 11);
}

TEST(Traffic, links_that_run_together_share) {
    const Machine machine = shared();
    const Traffic traffic(machine);
    EXPECT_DOUBLE_EQ(traffic.together(0), 5) << "half of the switch";
    EXPECT_DOUBLE_EQ(traffic.together(2), 100);
}

}  // namespace
}  // namespace gemmill::test
