// SPDX-License-Identifier: Apache-2.0
#include "planner/portfolio.hpp"

#include <algorithm>
#include <utility>

#include "gemmill/error.hpp"
#include "planner/level3_search.hpp"
#include "planner/rough.hpp"
#include "planner/search.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// A step takes about two microseconds to plan and to cost, a plan as long as 150 steps besides
/// (bench/plan; a core of 2 to 3 GHz).
constexpr double steps_a_second = 5e5, plan_steps = 150;

/// About how many steps a candidate has.
double likely_steps(const Draft& frame, const Candidate& c) {
    const double of_product = rough_steps(frame, c.policy, c.choice);
    // Of a triangle half, and of two products twice as many: the same for our purpose.
    return plan_steps + of_product;
}

std::vector<Candidate> named_ones(const Candidate& start) {
    std::vector<Candidate> all;
    for (const Policy& policy : policies())
        if (!policy.search) all.push_back({policy, start.choice});
    for (Candidate& c : all) c.policy.library = {};
    return all;
}

/// Half as many again and again, and each number up to all, the largest first.
std::vector<std::size_t> fewer_devices(std::size_t all) {
    std::vector<std::size_t> counts;
    for (std::size_t count = all / 2; count >= 1; count /= 2) counts.push_back(count);
    for (std::size_t count = all - 1; count > all / 2; --count) counts.push_back(count);
    return counts;
}

class Portfolio {
  public:
    Portfolio(Draft found, const Draft& frame, std::vector<Tried>* tried)
        : best_(std::move(found)),
          frame_(frame),
          tried_(tried),
          left_(budget_for(best_.prediction.seconds)) {}

    Draft run(const Candidate& start) {
        try_named(named_ones(start));
        try_fewer(start);
        return std::move(best_);
    }

  private:
    /// The cheapest first, so that a dear one does not shut out others.
    void try_named(std::vector<Candidate> all) {
        std::ranges::stable_sort(all, {},
                                 [&](const Candidate& c) { return likely_steps(frame_, c); });
        for (const Candidate& c : all) consider(frame_, c, 0);
    }

    void try_fewer(const Candidate& start) {
        for (const std::size_t count : fewer_devices(frame_.devices.size())) {
            Draft fewer = frame_;
            fewer.devices.resize(count);
            if (bound_seconds(fewer.machine, fewer.operands, fewer.goal, fewer.devices) >=
                best_.prediction.seconds)
                continue;
            Candidate c = start;
            c.choice.devices = fewer.devices;
            consider(fewer, c, left_ / 2);
        }
    }

    void consider(const Draft& frame, const Candidate& c, double budget) {
        if (likely_steps(frame, c) > left_) return;
        std::vector<Tried> log;
        try {
            Draft plan = plan_any(frame, c, budget, &log);
            if (plan.prediction.seconds < best_.prediction.seconds * (1 - 1e-6)) {
                plan.devices = frame_.devices;
                best_ = std::move(plan);
            }
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        }
        for (const Tried& one : log) left_ -= plan_steps + static_cast<double>(one.steps);
        if (tried_ != nullptr) tried_->insert(tried_->end(), log.begin(), log.end());
    }

    Draft best_;
    const Draft& frame_;
    std::vector<Tried>* tried_;
    double left_;  // of the budget, in steps
};

}  // namespace

double budget_for(double seconds) {
    constexpr double share = 0.02, least = 5e-3, most = 0.5;
    return steps_a_second * std::clamp(share * seconds, least, most);
}

Draft plan_any(const Draft& frame, const Candidate& c, double budget, std::vector<Tried>* tried) {
    if (frame.problem.routine != Routine::gemm)
        return search_level3(frame, c.policy, c.choice, budget, tried);
    return search_plan(frame, c, budget, tried);
}

Draft best_of_all(Draft found, const Draft& frame, const Candidate& start,
                  std::vector<Tried>* tried) {
    return Portfolio(std::move(found), frame, tried).run(start);
}

}  // namespace gemmill
