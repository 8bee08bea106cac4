// SPDX-License-Identifier: Apache-2.0
// Times of every kernel for random shapes as a text file: measured on one machine, fitted on
// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/batch/batch.hpp"

namespace gemmill::command {

/// "d strided nt 10 63 1 0 0 0 81920: stage1x1 12.3 cublas 14.5": type, kind, ops, m, n and k, gaps
/// of A, B and C, products; then microseconds of those that ran and were right.
std::string times_line(const BatchResult& result);

/// Batches as they were, without matrices. Lines that begin with # are comments; any other that is
/// no such line is an Error.
std::vector<BatchResult> parse_times(std::string_view text);

}  // namespace gemmill::command
