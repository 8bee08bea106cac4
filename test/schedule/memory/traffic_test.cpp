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

TEST(Traffic, a_link_that_is_slower_than_the_others_is_found_out) {
    const Machine machine = shared();
    Traffic traffic(machine);
    const double before = traffic.seconds(1, 100);
    for (int i = 0; i < 20; ++i) {
        traffic.note(0, 100, 21);  // as both share the switch
        traffic.note(1, 100, 63);
    }
    EXPECT_EQ(traffic.slowdown(0), 1);
    EXPECT_NEAR(traffic.slowdown(1), 1.5, 0.01) << "3 over the mean of 1 and 3";
    EXPECT_NEAR(traffic.seconds(1, 100), 1 + 3 * 20, 1) << "at the rate that was measured";
    EXPECT_GT(traffic.seconds(1, 100), before);
    traffic.begin(1, 50);
    EXPECT_NEAR(traffic.drained(0, 100), 20, 0.01) << "half of the switch";
    EXPECT_NEAR(traffic.drained(1, 100), 1.5 * 30, 0.1);
    traffic.end(1, 50);
    for (int i = 0; i < 40; ++i) traffic.note(1, 100, 21);
    EXPECT_EQ(traffic.slowdown(1), 1) << "it is well again";
    EXPECT_EQ(traffic.seconds(1, 100), before);
}

}  // namespace
}  // namespace gemmill::test
