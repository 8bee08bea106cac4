// SPDX-License-Identifier: Apache-2.0
// Kernels are fast where sizes are multiples of a grain. A plan with a grain has buffers of such
// sizes; a product runs over the whole of them where every matrix that it touches has the room.
//
//      tile      padding      What a product makes in the padding of its result is never read.
//     +--------+..            The padding of a factor is zero along k, in both factors: no NaN or
//     |        | :            infinity can meet one of the zeros. Fetches and mirrors put it there.
//     +--------+ :            The target is no such factor: products may have written beyond its
//     :..........:            tiles.
#pragma once

#include "gemmill/plan.hpp"

namespace gemmill {

constexpr index_t rounded(index_t size, index_t grain) {
    return (size + grain - 1) / grain * grain;
}

/// Rows below a block and columns beside it that belong to no tile.
struct Padding {
    index_t rows = 0, cols = 0;
    bool operator==(const Padding&) const = default;
};
/// Of a block of what the reference's buffer holds: there is some at the last row and the last
/// column of the buffer's tile, and none at home.
Padding padding_of(const Plan& plan, const Ref& ref, const Tile& block);
/// What a fetch or a mirror sets to zero behind what it brings.
Padding cleared_by(const Plan& plan, const Step& step);

/// Sizes that a kernel runs over: those of its tiles, or more.
struct Extent {
    index_t m = 0, n = 0, k = 0;
    bool operator==(const Extent&) const = default;
};
Extent extent_of(const Plan& plan, const Step& step);

}  // namespace gemmill
