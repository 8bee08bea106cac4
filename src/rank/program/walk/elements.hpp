// SPDX-License-Identifier: Apache-2.0
// What a rank does to elements besides multiplying: masks of panels and the write of C.
#pragma once

#include "rank/program/program.hpp"

namespace gemmill {

/// Sets the elements of a dense panel that a factor does not take to zero, a unit diagonal to ones
/// and the imaginary parts of a real one to zero.
void mask_panel(Type type, const DistFactor& factor, const Panel& panel, std::byte* data);

/// A block of C = beta C + sums, of which the fill of the update is written; without sums C is only
/// scaled. `to` is the rank's array, in which the offsets of the block count.
void write_block(const DistUpdate& update, const CBlock& block, const std::byte* sums,
                 index_t sums_ld, const Address& to);

/// Local rows [first, last) of a block that C has from its column `global_col` to `global_last`
/// (not included), as far as a triangle of C is made.
struct RowRange {
    index_t first = 0, last = 0;
};
RowRange rows_in(Fill fill, const IndexSet& rows, index_t global_col, index_t global_last);

}  // namespace gemmill
