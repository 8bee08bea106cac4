// SPDX-License-Identifier: Apache-2.0
// The options of the drop-in, as they are meant.
#pragma once

#include <algorithm>
#include <array>

#include "gemmill/options.hpp"

namespace gemmill::blas {

struct Settings {
    Options options;                ///< for the Context
    double threshold = 1e8;         ///< flops from which devices are thought of
    std::array<bool, 10> forced{};  ///< routines whose every call is cut into tiles, by Routine
    bool reports = false;

    bool is_forced(Routine routine) const { return forced[static_cast<std::size_t>(routine)]; }
    bool forces() const { return std::ranges::find(forced, true) != forced.end(); }
};

/// Throws Error naming the option that cannot be meant.
Settings settings_of(const Options& options);

/// Whether the option `report` asks for one.
bool wants_report(const Options& options);

}  // namespace gemmill::blas
