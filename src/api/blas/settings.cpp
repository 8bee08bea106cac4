// SPDX-License-Identifier: Apache-2.0
#include "api/blas/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/open/devices.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "planner/policy.hpp"

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

double threshold_of(const Options& options) {
    if (options.threshold.empty()) return Settings{}.threshold;
    const double threshold = parse_real(options.threshold, "threshold");
    require(threshold >= 0, Code::parse, "threshold >= 0",
            fmt::format("threshold is {}", options.threshold));
    return threshold;
}

/// Plans of many small problems, each cut although nothing is to be gained.
void set_forced_defaults(Options& options) {
    constexpr std::int64_t many_plans = 4096;
    const Options unset;
    if (options.devices == unset.devices) options.devices = "cpu:3";
    if (options.tile == unset.tile) options.tile = 5;
    if (options.plan_cache == unset.plan_cache) options.plan_cache = many_plans;
}

}  // namespace

Settings settings_of(const Options& options) {
    Settings made;
    made.options = options;
    made.threshold = threshold_of(options);
    made.forced = forced_by(options.force_tiled);
    made.reports = wants_report(options);
    check_devices(options.devices);
    resolve_policy(options);
    if (made.forces()) set_forced_defaults(made.options);
    return made;
}

bool wants_report(const Options& options) { return !is_off(options.report); }

}  // namespace gemmill::blas
