// SPDX-License-Identifier: Apache-2.0
#include "machine/load/assumed.hpp"

#include <gtest/gtest.h>

#include "machine/chips.hpp"

namespace gemmill::test {
namespace {

TEST(Assumed, machines_are_sound_and_say_where_their_numbers_come_from) {
    for (const Machine* machine : {&assumed_node(), &assumed_core()}) {
        EXPECT_TRUE(check(*machine).empty()) << machine->name;
        EXPECT_FALSE(machine->origin.empty());
        for (const Memory& memory : machine->memories) EXPECT_FALSE(memory.origin.empty());
        for (const Device& device : machine->devices) EXPECT_FALSE(device.origin.empty());
        for (const Link& link : machine->links) EXPECT_FALSE(link.origin.empty());
        EXPECT_EQ(parse_machine(to_text(*machine)), *machine);
        EXPECT_EQ(machine_from_json(to_json(*machine)), *machine);
    }
    EXPECT_GT(assumed_node().packers, 0);
    EXPECT_GT(assumed_node().short_run, 0);
}

TEST(Assumed, what_a_line_of_text_does_not_say_is_the_node_s) {
    const Machine line = synthetic_machine("gpu:2 nvlink:300GB/s");
    const Machine& node = assumed_node();
    EXPECT_EQ(line.call, node.call);
    EXPECT_EQ(line.devices[0].launch, node.devices[0].launch);
    EXPECT_EQ(line.devices[0].peak[1], node.devices[0].peak[1]);
    const Link& wires = line.links[static_cast<std::size_t>(find_link(line, 0, 1))];
    EXPECT_EQ(wires.bandwidth, assumed_link(node, "host", "gpu0").bandwidth);
    const Link& nvlink = line.links[static_cast<std::size_t>(find_link(line, 1, 2))];
    EXPECT_EQ(nvlink.bandwidth, 300e9);
    EXPECT_EQ(nvlink.latency, assumed_link(node, "gpu0", "gpu1").latency);
}

TEST(Assumed, a_chip_that_says_nothing_of_room_has_that_of_any_gpu) {
    Machine machine = synthetic_machine("gpu:1");
    const Chip& any = *known_chip("gpu");
    EXPECT_GT(any.workspace, 0);
    EXPECT_EQ(&chip_with_room(machine, machine.devices[0]), &any);
    machine.chips.push_back({});
    machine.devices[0].chip = 0;
    EXPECT_EQ(&chip_with_room(machine, machine.devices[0]), &any);
    machine.chips[0].scratch = 5, machine.chips[0].reserve = 7;
    EXPECT_EQ(chip_with_room(machine, machine.devices[0]).scratch, 5);
}

}  // namespace
}  // namespace gemmill::test
