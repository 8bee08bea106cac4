// SPDX-License-Identifier: Apache-2.0
// Devices that mind sizes.
#pragma once

#include "gemmill/machine.hpp"

namespace gemmill::test {

/// The machine with devices that make this part of their rate of odd sizes.
inline Machine with_grain(Machine machine, index_t grain, double part = 0.001) {
    Chip chip;
    chip.name = "picky";
    chip.grain = grain;
    chip.efficiencies.push_back({"odd", "sdczhb", {1}, {1}, {part}, false});
    machine.chips.push_back(chip);
    for (Device& device : machine.devices)
        device.chip = static_cast<ChipId>(machine.chips.size() - 1);
    return machine;
}

}  // namespace gemmill::test
