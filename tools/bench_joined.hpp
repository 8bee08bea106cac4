// SPDX-License-Identifier: Apache-2.0
// gemmill bench joined: the CPU beside a GPU on one product.
#pragma once

#include <string>
#include <vector>

#include "bench_timing.hpp"
#include "common.hpp"
#include "gemmill/types.hpp"

namespace gemmill::command {

/// One way to make the product.
struct JoinedWay {
    std::string name, devices, policy;
    std::vector<double> samples = {};  ///< seconds
    double part = 0;                   ///< of the flops, that the CPU made
    double error = 0;                  ///< 1 or less is right
};

/// One size: the GPU alone, split as planned, split while it runs, the CPU alone.
struct JoinedResult {
    index_t n = 0;
    std::vector<JoinedWay> ways;

    double seconds(std::size_t way) const { return median(ways[way].samples); }
    /// The rate of the CPU alone over that of the GPU alone.
    double ratio() const { return seconds(0) / seconds(3); }
    /// What GPU and CPU should reach of the GPU alone: 70 % of what the CPU could add.
    double bar() const { return 1 + 0.7 * ratio(); }
    double reached(std::size_t way) const { return seconds(0) / seconds(way); }
};

std::string to_text(const JoinedResult& result);

void add_bench_joined(CLI::App& parent, Action& action);

}  // namespace gemmill::command
