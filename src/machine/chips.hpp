// SPDX-License-Identifier: Apache-2.0
// Chips: what devices of one kind have in common. The files of src/machine/chips are compiled into
// the library; a machine holds those that its devices are of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "gemmill/machine.hpp"

namespace gemmill {

/// The chip of this name in the library; nullptr when there is none.
const Chip* known_chip(std::string_view name);

using FindChip = const Chip* (*)(std::string_view name);
/// "chip NAME like=OTHER s=128 d=64 ... origin=...": what another chip reaches that can be found,
/// and multiply-adds a cycle.
Chip read_chip(const Record& record, FindChip find = known_chip);
/// "efficiency CHIP op=trsm types=sdcz edges=... others=... parts=... leaves=on".
Efficiency read_efficiency(const Record& record);
/// Adds it. Throws Error(parse) when the chip has such an efficiency already.
void add_efficiency(Chip& chip, Efficiency one);
std::string chip_text(const Chip& chip);

/// The id of the chip of this name in the machine, which gets it from the library when it has none.
/// Throws Error(parse) when neither has it.
ChipId chip_of(Machine& machine, const std::string& name);

/// Peaks and rates by shape of a device of the chip that makes so many flops for each multiply-add
/// a cycle of a multiprocessor: twice its clock times its multiprocessors.
void set_peaks(Device& device, const Chip& chip, double cycles);

/// Numbers after a key, between commas.
std::vector<double> numbers_of(const Record& record, std::string_view key);

}  // namespace gemmill
