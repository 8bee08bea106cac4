// SPDX-License-Identifier: Apache-2.0
// What the policies' plans are like on the points of the evaluation of Uncut-GEMMs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reproduce/reproduce.hpp"

namespace gemmill::command {

/// What is read off the plans of one point; the plans themselves would not fit memory.
struct PointPlans {
    Case one = {};
    std::map<std::string, double> seconds = {};  ///< on 8 GPUs, by policy
    std::array<double, 4> scaling{};             ///< seconds of best on 1, 2, 4 and 8 GPUs
    double bound_seconds = 0;                    ///< on 8 GPUs
    double host_reads = 0;     ///< best: fetched over size of A or B on the host, the larger; or 0
    std::int64_t relayed = 0;  ///< best: Statistics::relayed
    int plans = 0;
    std::vector<std::string> faults = {};  ///< with the policy and the case in front

    double best() const { return scaling.back(); }
};

/// Each point of the regular data set, FP64 and FP32, and of the irregular one; `step` as in
/// reproduce_paper.hpp.
std::vector<Case> all_points(std::size_t step);

/// Makes every plan once, on two threads; with `check` validates it as well. The outcome does not
/// depend on threads.
std::vector<PointPlans> look_at(const Machine& machine, const std::vector<Case>& cases, bool check);

}  // namespace gemmill::command
