// SPDX-License-Identifier: Apache-2.0
// Which kernels, and calls of cuBLAS, are the fastest for a batch of one shape: by the table what
// was measured as it is, all else by what each is estimated to take on a device.
#pragma once

#include <vector>

#include "backend/cuda/batch/batch_table.hpp"

namespace gemmill {

/// Whether so few products are made that the host's part of a call decides how long it takes.
bool is_few_on(int device, const Batch& batch);

/// Those that are worth a trial, the fastest by estimate first: one at least, and no more than can
/// be tried. as_fast: a kernel that is estimated to take at most so many times as long.
std::vector<BatchChoice> choices_for(int device, const Batch& batch, bool cublas_may,
                                     double as_fast = 1.2);

/// Numbers of the kernels (fits_of) that are worth fitting to a batch: without that they are
/// estimated to take at most half as long again as the fastest.
std::vector<int> fits_for(int device, const Batch& batch);

}  // namespace gemmill
