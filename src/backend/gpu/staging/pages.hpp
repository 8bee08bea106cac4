// SPDX-License-Identifier: Apache-2.0
// Pages of host memory that is about to be written for the first time.
#pragma once

#include <cstddef>

#include "gemmill/types.hpp"

namespace gemmill {

/// Makes the pages of a block of columns, `run` bytes of each and `stride` bytes apart, as a write
/// to them would, and changes nothing in them. Where the system cannot, the write itself will.
void make_pages(void* data, index_t run, index_t cols, index_t stride);

/// Makes pages of memory of our own, as large ones as the system has, by so many threads: they are
/// there, and pinned, several times sooner than small ones that the driver makes one by one.
void make_large_pages(void* data, index_t bytes, int threads);

/// What such memory should be aligned to, and a multiple of.
inline constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace gemmill
