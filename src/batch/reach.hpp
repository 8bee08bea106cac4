// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a product lie in memory.
#pragma once

#include <cstdint>

#include "batch/check.hpp"

namespace gemmill {

/// Columns of equal length at equal distances. None: the product does not touch the matrix.
struct Reach {
    std::uintptr_t begin = 0;
    index_t columns = 0;
    index_t length = 0, distance = 0;  ///< of columns, in bytes

    index_t bytes() const { return columns == 0 ? 0 : (columns - 1) * distance + length; }
    std::uintptr_t end() const { return begin + static_cast<std::uintptr_t>(bytes()); }
    /// Without gaps between its columns.
    bool dense() const { return length == distance || columns <= 1; }
};

/// A, B or C of product i, in which nothing is bad; arrays are on the host.
Reach reach_of(const Batch& batch, BatchArgument matrix, index_t i);

/// From the first byte to behind the last of the matrices of all products, which have one shape and
/// lie at equal distances.
Reach reach_of_all(const Batch& batch, BatchArgument matrix);

/// Throws Error(bad_argument) when a product writes what another writes, or what one reads. Nothing
/// else is bad in the batch, and its arrays are on the host.
void check_overlap(Layout layout, const Batch& batch);

}  // namespace gemmill
