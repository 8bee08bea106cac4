// SPDX-License-Identifier: Apache-2.0
#include "api/plans/plan_problem.hpp"

#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "schedule/recipe/propose.hpp"
#include "schedule/recipe/rerun.hpp"

namespace gemmill {
namespace {

Offer schedule(const Plan& frame, const Problem& problem, const Options& options,
               const Allowance& allowance) {
    ProposalLimits limits;
    limits.steps = allowance.steps;
    limits.seconds = allowance.seconds;
    limits.at_least = decides_again(options.policy);
    limits.most = allowance.most;
    limits.tile = options.tile;
    limits.predicted = allowance.predicted;
    // A plan that runs as it is made needs nothing in reserve for whoever turns out to be faster.
    limits.options.halves = limits.at_least;
    if (options.queues > 0) limits.options.streams = static_cast<int>(options.queues);
    Offer offer;
    if (auto proposal = propose(frame, problem, limits, &offer.made))
        offer.plan = std::move(proposal->plan);
    return offer;
}

}  // namespace

std::function<void()> do_aside(const std::function<void()>& work) {
    try {
        const auto done = std::make_shared<std::future<void>>(std::async(std::launch::async, work));
        return [done] { done->get(); };
    } catch (const std::system_error&) {
        return work;
    }
}

Plan plan_problem(const Problem& problem, const Machine& machine, const Options& options,
                  std::vector<Tried>* tried, const Aside& aside) {
    return make_plan(problem, machine, options, tried, {schedule, aside});
}

}  // namespace gemmill
