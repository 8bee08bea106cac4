// SPDX-License-Identifier: Apache-2.0
#include "planner/search/trials.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "planner/candidate/describe.hpp"
#include "planner/candidate/pad.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/search/budget.hpp"
#include "planner/shape/resident/copied.hpp"
#include "planner/shape/tiles/gemm.hpp"
#include "planner/shape/tiles/level3.hpp"
#include "planner/shape/try_plan.hpp"
#include "planner/split/beside.hpp"
#include "task/describe.hpp"

namespace gemmill {
namespace {

/// What the devices make of a problem, or of what a CPU leaves of it.
void make_devices(Draft& plan, const Candidate& c) {
    const auto copy = [&](Draft& attempt) { plan_copied(attempt, c.choice); };
    if (is_copied(plan, c.choice) && try_plan(plan, copy)) return;
    if (plan.problem.routine == Routine::gemm)
        plan_gemm(plan, c.policy, c.choice);
    else
        plan_level3(plan, c.policy, c.choice);
}

void make_shape(Draft& plan, const Problem& whole, const Candidate& c) {
    const Beside& beside = c.choice.beside;
    plan.problem = beside.lines > 0 ? rest_of(whole, beside) : whole;
    // What was a grid of blocks for the whole need not be one for the rest.
    const Grid& grid = c.choice.grid;
    const bool fits = plan.problem.m >= grid.rows && plan.problem.n >= grid.cols;
    require(beside.lines == 0 || fits, Code::no_device, "a line for each device",
            "too little is left beside the CPU");
    describe(plan.problem, plan);
    make_devices(plan, c);
    if (beside.lines > 0) add_beside(plan, whole, beside);
}

}  // namespace

PlanCost cost_of(const Draft& frame, const Candidate& candidate) {
    const Making making = frame.problem.routine != Routine::gemm       ? Making::level3
                          : candidate.policy.order == Sequence::strips ? Making::strips
                                                                       : Making::tiles;
    return plan_cost(making, candidate.choice.devices.size(), frame.machine.links.size());
}

double work_of(const Draft& frame, const Candidate& candidate) {
    const PlanCost cost = cost_of(frame, candidate);
    return cost.fixed + (cost.make + cost.simulate) * rough_steps(frame, candidate);
}

Trials::Trials(const Draft& frame, std::vector<Tried>* tried)
    : frame_(frame), sharing_(sharing_of(frame.machine)), last_(frame), tried_(tried) {
    kept_.operands = frame.operands;
    kept_.goal = frame.goal;
    kept_.policy = frame.policy;
    kept_.devices = frame.devices;
    kept_.limit = frame.limit;
    kept_.problem = frame.problem;
    kept_.cpu = frame.cpu;
}

double Trials::make(const Candidate& candidate, double limit, double most) {
    clear(last_);
    const PlanCost cost = cost_of(frame_, candidate);
    last_.most_products = std::min(most, frame_.most_products);
    last_.most_steps = (most - cost.fixed) / (cost.make + cost.simulate);
    last_.grain = grain_for(frame_, candidate.choice);
    spent_ += cost.fixed;
    last_.devices = frame_.devices;
    make_shape(last_, frame_.problem, candidate);
    const auto steps = static_cast<double>(last_.steps.size());
    spent_ += cost.make * steps;
    const double room = most - cost.fixed - (cost.make + cost.simulate) * steps;
    const Reached reached = seconds_within(last_, limit, sharing_, room / cost.share);
    spent_ += cost.simulate * static_cast<double>(reached.steps) +
              cost.share * static_cast<double>(reached.shared);
    if (tried_ != nullptr)
        tried_->push_back({describe(frame_, candidate), std::min(reached.seconds, limit),
                           last_.steps.size(), candidate.policy.order == Sequence::strips});
    return reached.seconds;
}

double Trials::attempt(const Candidate& candidate, double limit, double most) {
    try {
        return make(candidate, limit, most);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
        spent_ += cost_of(frame_, candidate).make * static_cast<double>(last_.steps.size());
        return std::numeric_limits<double>::infinity();
    }
}

void Trials::adopt(Plan plan) {
    static_cast<Plan&>(last_) = std::move(plan);
    last_.policy = frame_.policy;
    last_.devices = frame_.devices;
}

void Trials::note(const std::vector<Tried>& others) {
    if (tried_ != nullptr) tried_->insert(tried_->end(), others.begin(), others.end());
}

Draft Trials::take() && {
    kept_.machine = std::move(last_.machine);
    return std::move(kept_);
}

Draft Trials::finish(double seconds) && {
    Draft plan = std::move(*this).take();
    plan.prediction = predict(plan, seconds);
    return plan;
}

}  // namespace gemmill
