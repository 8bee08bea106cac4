// SPDX-License-Identifier: Apache-2.0
// What a bench found: as a table, as JSON, as a picture.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/gemm/run.hpp"

namespace gemmill::command {

struct BenchReport {
    BenchSetup setup = {};
    std::string gpu = {};  ///< its name
    int default_block = 0;
    Rates rates = {};
    CallTime call = {};
    std::vector<BenchResult> results = {};
};

/// Whether every case ran and was right.
bool all_right(const BenchReport& report);
/// At most 110 columns.
std::string to_text(const BenchReport& report);
nlohmann::ordered_json to_json(const BenchReport& report);

/// Whether a case is one of the squares that are drawn: d, pinned.
bool is_drawn(const BenchCase& one);
/// TFLOP/s over n, as SVG.
std::string draw(const BenchReport& report);

}  // namespace gemmill::command
