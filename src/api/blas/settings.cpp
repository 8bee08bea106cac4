// SPDX-License-Identifier: Apache-2.0
#include "api/blas/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/routine.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill::blas {
namespace {

bool is_off(const std::string& text) { return text.empty() || text == "0" || text == "off"; }
bool is_on(const std::string& text) { return text == "1" || text == "on"; }

std::array<bool, 10> forced_by(const std::string& text) {
    std::array<bool, 10> forced{};
    if (is_on(text)) forced.fill(true);
    if (is_on(text) || is_off(text)) return forced;
    for (const std::string& word : split(text, ',')) {
        const auto found = std::ranges::find(routine_names, word);
        require(found != routine_names.end(), Code::parse, "1, or routines such as gemm,syrk",
                fmt::format("force_tiled: '{}' is no routine", word));
        forced[static_cast<std::size_t>(found - routine_names.begin())] = true;
    }
    return forced;
}

}  // namespace

Settings settings_of(const Options& options) {
    Settings made;
    made.options = options;
    if (!options.threshold.empty()) {
        made.threshold = parse_real(options.threshold, "threshold");
        require(made.threshold >= 0, Code::parse, "threshold >= 0",
                fmt::format("threshold is {}", options.threshold));
    }
    made.forced = forced_by(options.force_tiled);
    made.reports = !is_off(options.report);
    if (!made.forces()) return made;
    // Plans of many small problems, each cut although nothing is to be gained.
    if (made.options.devices == "auto") made.options.devices = "cpu:3";
    if (made.options.tile == 0) made.options.tile = 5;
    made.options.plan_cache = std::max<std::int64_t>(made.options.plan_cache, 4096);
    return made;
}

}  // namespace gemmill::blas
