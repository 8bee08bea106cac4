// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench_batch.hpp"

namespace gemmill::command {

/// Kernels of one shape with their TB/s, the fastest first.
std::string to_text(const BatchResult& result);
/// Rows of the table: for each shape a kernel within 5 % of the best; of several the one that is so
/// for most shapes. What is wrong or did not run is never taken.
std::string table_of(const std::vector<BatchResult>& measured, const std::string& origin);

}  // namespace gemmill::command
