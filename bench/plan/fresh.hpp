// SPDX-License-Identifier: Apache-2.0
// What the first plan of a process costs: nothing is in a cache, no memory is mapped yet.
#pragma once

#include <string_view>

#include "gemmill/types.hpp"
#include "runner.hpp"

namespace bench {

/// The word after which a program that was started by fresh() finds the size.
inline constexpr std::string_view first_flag = "--first";

/// Plans n x n x n on all of hgx-a100-8 and prints the seconds that passed, the processor's, and
/// those to read the machine before.
void print_first(gemmill::index_t n);

/// Medians over several processes, each of which runs this program with `--first n`, beside the
/// milliseconds that are allowed.
nlohmann::json fresh(const Settings& settings);

}  // namespace bench
