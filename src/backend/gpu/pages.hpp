// SPDX-License-Identifier: Apache-2.0
// Pages of host memory that is about to be written for the first time.
#pragma once

#include "gemmill/types.hpp"

namespace gemmill {

/// Makes the pages of a block of columns, `run` bytes of each and `stride` bytes apart, as a write
/// to them would, and changes nothing in them. Where the system cannot, the write itself will.
void make_pages(void* data, index_t run, index_t cols, index_t stride);

}  // namespace gemmill
