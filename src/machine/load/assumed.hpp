// SPDX-License-Identifier: Apache-2.0
// What is taken for granted of hardware about which nothing is known: the files of
// src/machine/assumed, compiled into the library.
#pragma once

#include "gemmill/machine.hpp"

namespace gemmill {

/// A node with GPUs: gpu0 and gpu1 are joined by NVLink, of gpu2 nothing is known but that it is
/// there. The links of its memory `pageable` are what one thread packs.
const Machine& assumed_node();
/// One core of a host, as a machine.
const Machine& assumed_core();

/// A link of one of these that is there.
const Link& assumed_link(const Machine& machine, const char* from, const char* to);
/// What a chip needs beside the plan's slabs; that of any GPU where the device's own says nothing.
const Chip& chip_with_room(const Machine& machine, const Device& device);

}  // namespace gemmill
