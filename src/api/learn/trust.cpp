// SPDX-License-Identifier: Apache-2.0
#include "api/learn/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/routine.hpp"
#include "base/text.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

// Where static plans took up to 1.15 times as long as predicted on disturbed machines, policies
// that decide again were slower in the mean; above they were faster. Above 1.5 a plan that the
// model made is no guide any more (docs/runtime.md).
constexpr double wrong = 1.15, far_wrong = 1.5;
/// So often a class goes back to its static plan, to see whether the machine is well again.
constexpr int patience = 16;
/// Later calls count no more than this one and the one before it together.
constexpr double fresh = 0.5;

std::size_t at(Way way) { return static_cast<std::size_t>(way); }

}  // namespace

/// Problems of one routine, type and place whose flops are within a factor of 2.
Trust::Class Trust::class_of(const Problem& p) {
    return {p.routine, p.type, std::ilogb(std::max(1.0, flops_of(p))), p.home};
}

Way Trust::choose(const Problem& problem) {
    const std::lock_guard lock(mutex_);
    Record& record = records_[class_of(problem)];
    // The first call opens libraries and touches memory: it says nothing.
    const double ratio = record.calls[at(Way::fixed)] > 1 ? record.ratio[at(Way::fixed)] : 0;
    if (ratio <= wrong || record.since_fixed >= patience) return Way::fixed;
    const Way other = ratio > far_wrong ? Way::dynamic : Way::tail;
    const bool slower = record.calls[at(other)] > 1 && record.ratio[at(other)] >= ratio;
    return slower ? Way::fixed : other;
}

void Trust::note(const Problem& problem, Way way, double measured, double predicted) {
    if (!(measured > 0 && predicted > 0)) return;
    const std::lock_guard lock(mutex_);
    Record& record = records_[class_of(problem)];
    const int before = record.calls[at(way)]++;
    double& ratio = record.ratio[at(way)];
    const double now = measured / predicted;
    ratio = before <= 1 ? now : ratio + fresh * (now - ratio);
    record.since_fixed = way == Way::fixed ? 0 : record.since_fixed + 1;
}

std::string Trust::text() const {
    constexpr std::array<const char*, 3> names{"as planned", "tail", "dynamic"};
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [key, record] : records_) {
        text +=
            fmt::format("  {}{} of 2^{} flops: measured / predicted", letter_of(std::get<1>(key)),
                        name_of(std::get<0>(key)), std::get<2>(key));
        for (std::size_t way = 0; way < names.size(); ++way)
            if (record.calls[way] > 0)
                text += fmt::format(" {:.2f} {} ({} calls)", record.ratio[way], names[way],
                                    record.calls[way]);
        text += '\n';
    }
    return text;
}

double Trust::ratio(const Problem& problem) const {
    const std::lock_guard lock(mutex_);
    const auto record = records_.find(class_of(problem));
    return record == records_.end() ? 0 : record->second.ratio[at(Way::fixed)];
}

}  // namespace gemmill
