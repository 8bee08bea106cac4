// SPDX-License-Identifier: Apache-2.0
// How a copy through pinned slots is cut: parts that fit a slot, and shares of a part, which
// threads copy side by side.
#pragma once

#include <cstddef>

#include "backend/perform.hpp"

namespace gemmill {

/// How many parts a copy has: whole columns where some fit a slot, else parts of a column.
index_t parts_of(const CopyArgs& args, index_t slot_bytes);
CopyArgs part_of(const CopyArgs& args, index_t part, index_t slot_bytes);

/// The copy of a part between its slot and where it belongs. A triangle is cut out where it leaves
/// the slot.
CopyArgs from_slot(CopyArgs part, const std::byte* slot);
CopyArgs to_slot(CopyArgs part, std::byte* slot);

/// Into how many shares of `least` bytes or more a copy can be cut, `most` at most.
int shares_of(const CopyArgs& args, index_t least, int most);
CopyArgs share_of(const CopyArgs& args, int share, int shares);

}  // namespace gemmill
