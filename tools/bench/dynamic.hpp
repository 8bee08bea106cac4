// SPDX-License-Identifier: Apache-2.0
// gemmill bench dynamic: policy dynamic beside the static plan of policy best on a GPU, and what a
// dynamic run recorded, run again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "gemmill/types.hpp"

namespace gemmill::command {

struct DynamicCase {
    Routine routine = Routine::gemm;
    index_t n = 0;
    std::int64_t cap = 0;  ///< bytes of device memory; 0: all
};
/// Products of three sizes up to the largest, two of them under a cap as well (4 GiB at 16384 and
/// 16 GiB at 32768), a rank update and a solve of the middle size.
std::vector<DynamicCase> dynamic_cases(index_t largest);
std::string name_of(const DynamicCase& one);

struct DynamicResult {
    DynamicCase one;
    std::vector<double> best, dynamic;         ///< seconds of calls, in turn
    double best_error = 0, dynamic_error = 0;  ///< 1 or less is right
    std::vector<double> replay;                ///< seconds of the recorded plan as a static one
    bool replayed = false;                     ///< the recorded plan gave the same bits

    /// Time of the static plan over that of policy dynamic, by medians.
    double share() const { return median(best) / median(dynamic); }
    bool right() const { return best_error <= 1 && dynamic_error <= 1 && replayed; }
};
std::string to_text(const std::vector<DynamicResult>& results);
nlohmann::ordered_json to_json(const std::vector<DynamicResult>& results);

}  // namespace gemmill::command
