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

/// Steps that may be planned for a run of so many seconds.
double budget_for(double run) {
    constexpr double share = 0.02, least = 5e-3, most = 0.5;
    return steps_a_second * std::clamp(share * run, least, most);
}

class Portfolio {
  public:
    Portfolio(const Draft& frame, const Candidate& start, double budget, std::vector<Tried>* tried)
        : frame_(frame),
          start_(start),
          budget_(budget),
          tried_(tried),
          best_(plan_any(frame, start, budget, tried)),
          left_(budget_for(best_.prediction.seconds)) {}

    Draft run(const Elsewhere& elsewhere = {}) {
        const std::size_t all = frame_.devices.size();
        if (all > 1) try_half(all / 2, elsewhere);
        try_named();
        for (std::size_t count = all; --count > all / 2;)
            if (const Draft fewer = with_devices(count); could_win(fewer))
                consider(fewer, start_on(fewer), left_ / 2);
        try_elsewhere(elsewhere);
        return std::move(best_);
    }

  private:
    /// A plan of another maker, with what is left of the budget.
    void try_elsewhere(const Elsewhere& elsewhere) {
        if (!elsewhere || left_ < plan_steps || !could_win(frame_)) return;
        // A step takes about twice as long there, and each half of the devices asks again.
        const auto plan = elsewhere(frame_, frame_.problem, {}, left_ / 4);
        if (!plan) return;
        Draft draft = frame_;
        static_cast<Plan&>(draft) = *plan;
        draft.policy = frame_.policy;
        if (tried_ != nullptr)
            tried_->push_back({"dynamic", plan->prediction.seconds, plan->steps.size()});
        keep(std::move(draft));
    }

    Draft with_devices(std::size_t count) const {
        Draft fewer = frame_;
        fewer.devices.resize(count);
        return fewer;
    }
    Candidate start_on(const Draft& frame) const {
        Candidate c = start_;
        c.choice.devices = frame.devices;
        return c;
    }
    bool could_win(const Draft& frame) const {
        return bound_seconds(frame.machine, frame.operands, frame.goal, frame.devices) <
               best_.prediction.seconds;
    }

    /// In the same way as all of them, so that more are never slower.
    void try_half(std::size_t count, const Elsewhere& elsewhere) {
        const Draft half = with_devices(count);
        if (!could_win(half)) return;
        try {
            keep(Portfolio(half, start_on(half), budget_, tried_).run(elsewhere));
        } catch (const Error& error) {
            if (!is_no_plan(error)) throw;
        }
    }

    /// The cheapest first, so that a dear one does not shut out others.
    void try_named() {
        std::vector<Candidate> all = named_ones(start_);
        std::ranges::stable_sort(all, {},
                                 [&](const Candidate& c) { return likely_steps(frame_, c); });
        for (const Candidate& c : all) consider(frame_, c, 0);
    }

    static bool is_no_plan(const Error& error) {
        return error.code() == Code::out_of_memory || error.code() == Code::no_device;
    }

    /// One call of a device's own library is left alone where tiles are not much faster: in core
    /// they took 6 to 14 % longer than predicted on an H200.
    void keep(Draft plan) {
        const double faster = best_.steps.size() == 1 ? 1.15 : 1 + 1e-6;
        if (plan.prediction.seconds * faster >= best_.prediction.seconds) return;
        // Of all devices that were allowed, whether it uses them or not.
        plan.devices = frame_.devices;
        plan.prediction.bound_seconds =
            bound_seconds(plan.machine, plan.operands, plan.goal, plan.devices);
        best_ = std::move(plan);
    }

    void consider(const Draft& frame, const Candidate& c, double budget) {
        if (likely_steps(frame, c) > left_) return;
        std::vector<Tried> log;
        try {
            keep(plan_any(frame, c, budget, &log));
        } catch (const Error& error) {
            if (!is_no_plan(error)) throw;
        }
        for (const Tried& one : log) left_ -= plan_steps + static_cast<double>(one.steps);
        if (tried_ != nullptr) tried_->insert(tried_->end(), log.begin(), log.end());
    }

    const Draft& frame_;
    const Candidate start_;
    const double budget_;
    std::vector<Tried>* tried_;
    Draft best_;
    double left_;  // of what all but searches may take, in steps
};

}  // namespace

Draft plan_any(const Draft& frame, const Candidate& c, double budget, std::vector<Tried>* tried) {
    if (frame.problem.routine != Routine::gemm)
        return search_level3(frame, c.policy, c.choice, budget, tried);
    return search_plan(frame, c, budget, tried);
}

Draft best_of_all(const Draft& frame, const Candidate& start, double budget,
                  std::vector<Tried>* tried, const Elsewhere& elsewhere) {
    return Portfolio(frame, start, budget, tried).run(elsewhere);
}

}  // namespace gemmill
