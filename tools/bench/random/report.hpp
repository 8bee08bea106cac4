// SPDX-License-Identifier: Apache-2.0
// What `gemmill bench random` says: a table, a summary, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/random/run.hpp"

namespace gemmill::command {

struct RandomReport {
    std::string gpu;
    std::string devices;
    std::uint64_t seed = 0;
    int repeats = 0;
    std::vector<RandomResult> results = {};
    std::vector<std::pair<index_t, CallTime>> calls = {};  ///< by n
    ThreadTime threads = {};                               ///< threads 0: not measured
};

/// Of those results that ran; NaN where there is nothing to tell.
struct RandomSummary {
    int cases = 0;
    double mean_share = 0, least_share = 0;  ///< of the bound
    double mean_ratio = 0, least_ratio = 0;  ///< seconds of the peer over ours; a geometric mean
    int behind = 0;                          ///< the peer was faster
};
RandomSummary summary_of(const std::vector<RandomResult>& results);

enum class RandomGroup : std::uint8_t { host, core_odd, core_even };
std::vector<RandomResult> group_of(const std::vector<RandomResult>& results, RandomGroup group);

bool all_right(const RandomReport& report);
/// At most 110 columns.
std::string to_text(const RandomReport& report);
nlohmann::ordered_json to_json(const RandomReport& report);

}  // namespace gemmill::command
