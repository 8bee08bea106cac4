// SPDX-License-Identifier: Apache-2.0
// Measured runs, from a CSV file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/reproduce.hpp"

namespace gemmill::command {

struct MeasuredRow {
    int line = 0;
    Case one;
    std::string library;  ///< the policy that imitates it
    double seconds = 0;
};

/// The first line names the columns: gpus, m, n, k, a_at, b_at, c_at, library, tile, seconds and
/// tflops, in any order; tile and tflops are not looked at. Each library ran each case once.
/// Throws Error(parse) with the line's number.
std::vector<MeasuredRow> parse_measured(std::string_view text);

}  // namespace gemmill::command
