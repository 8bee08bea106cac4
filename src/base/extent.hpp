// SPDX-License-Identifier: Apache-2.0
// How far a matrix reaches in memory.
#pragma once

#include "gemmill/types.hpp"

namespace gemmill {

/// A matrix as it is stored: elements of a column, and columns.
struct StoredSize {
    index_t rows = 0, cols = 0;
};

/// Bytes from the first element of a matrix to behind its last, with so many of each; -1 when 63
/// bits cannot say it. Sizes are not negative, and the leading dimension is at least the rows.
constexpr index_t extent_of(const StoredSize& size, index_t ld, index_t bytes) {
    if (size.rows == 0 || size.cols == 0) return 0;
    const index_t most = INT64_MAX / bytes;
    if (size.rows > most || (size.cols > 1 && ld > (most - size.rows) / (size.cols - 1))) return -1;
    return ((size.cols - 1) * ld + size.rows) * bytes;
}

/// Whether they can.
constexpr bool has_extent(const StoredSize& size, index_t ld, index_t bytes) {
    constexpr index_t small = index_t{1} << 29;  // two of them and 16 bytes take 62 bits
    return (ld < small && size.cols < small) || extent_of(size, ld, bytes) >= 0;
}

}  // namespace gemmill
