// SPDX-License-Identifier: Apache-2.0
// gemmill bench joined: the CPU beside a GPU on one product.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "gemmill/types.hpp"

namespace gemmill::command {

/// One way to make the product.
struct JoinedWay {
    std::string name, devices, policy;
    index_t n = 0;                     ///< rows and columns of what it makes
    std::vector<double> samples = {};  ///< seconds
    double part = 0;                   ///< of the flops, that the CPU made
    double error = 0;                  ///< 1 or less is right

    double seconds() const { return median(samples); }
    double rate() const;  ///< flop/s
};

/// One size.
struct JoinedResult {
    index_t n = 0;
    int busy = 0;       ///< cores that another program uses
    std::string known;  ///< of the CPU beside the GPU, when its contexts were opened
    JoinedWay alone;    ///< the GPU, as planned
    JoinedWay goes;     ///< the GPU, as it goes
    JoinedWay planned;  ///< both, split as planned
    JoinedWay both;     ///< both, split as it goes
    JoinedWay cpu;      ///< the CPU alone, of a size that does not take too long

    std::vector<const JoinedWay*> ways() const { return {&alone, &goes, &planned, &both, &cpu}; }
    bool right() const;
    /// The rate of the CPU alone over that of the GPU alone.
    double ratio() const { return cpu.rate() / alone.rate(); }
    /// What GPU and CPU should reach of the GPU alone: 70 % of what the CPU could add.
    double bar() const { return 1 + 0.7 * ratio(); }
    double reached(const JoinedWay& way) const { return alone.seconds() / way.seconds(); }
};

std::string to_text(const JoinedResult& result);
nlohmann::ordered_json to_json(const JoinedResult& result);

}  // namespace gemmill::command
