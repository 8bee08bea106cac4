// SPDX-License-Identifier: Apache-2.0
#include "bench/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "command/stopwatch.hpp"
#include "gemmill/error.hpp"

namespace gemmill::command {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return nan;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Timing::seconds() const { return fault.empty() ? median(samples) : nan; }

std::string name_of(const Timing& timing) {
    constexpr std::array names{"ours", "ours, plain", "cuBLASXt", "copy-all", "in-core"};
    const char* const name = names[static_cast<std::size_t>(timing.who)];
    return timing.block > 0 ? fmt::format("{} {}", name, timing.block) : name;
}

nlohmann::ordered_json to_json(const Timing& t) {
    nlohmann::ordered_json json{{"name", name_of(t)},
                                {"seconds", t.seconds()},
                                {"repeats", t.samples.size()},
                                {"samples", t.samples}};
    if (t.block > 0) json["block"] = t.block;
    if (!t.fault.empty())
        json["fault"] = t.fault;
    else
        json["check"] = {{"error", t.error}, {"right", t.right()}};
    return json;
}

double fastest(const std::vector<Timing>& timings, Who who) {
    double least = nan;
    for (const Timing& t : timings)
        if (t.who == who) least = std::fmin(least, t.seconds());
    return least;
}

bool all_right(const std::vector<Timing>& timings) {
    const bool ran = !timings.empty() && timings.front().fault.empty();
    return ran && std::ranges::all_of(timings, &Timing::right);
}

namespace {

constexpr double long_call = 0.3;  // seconds; of these the start is nothing

/// The fastest of so many calls, back to back, after a rest.
void take(Contender& contender, int calls) {
    try {
        rest();
        double least = seconds_of(contender.call);
        for (int i = 1; i < calls && least < long_call; ++i)
            least = std::min(least, seconds_of(contender.call));
        contender.timing.samples.push_back(least);
    } catch (const Error& error) {
        contender.timing.fault = error.text();
    }
}

}  // namespace

void take_sample(Contender& contender) { take(contender, 1); }
void take_warm_sample(Contender& contender) { take(contender, 2); }

CallTime time_calls(const std::function<void()>& ours, const std::function<void()>& in_core,
                    int calls) {
    ours();
    in_core();
    std::vector<double> first, second;
    for (int i = 0; i < calls; ++i) {
        first.push_back(seconds_of(ours));
        second.push_back(seconds_of(in_core));
    }
    return {median(std::move(first)), median(std::move(second))};
}

}  // namespace gemmill::command
