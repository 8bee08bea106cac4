// SPDX-License-Identifier: Apache-2.0
#include "planner/search/others.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "planner/search/budget.hpp"
#include "planner/search/describe.hpp"
#include "planner/search/trials.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double part_of_named = 0.75;  // where there is a scheduler

class Others {
  public:
    Others(const Draft& frame, const Elsewhere& elsewhere, double work)
        : frame_(frame), elsewhere_(elsewhere), work_(work), trials_(frame, &found_.tried) {
        found_.seconds = never;
    }

    OthersBest run(std::vector<Candidate> named) && {
        // Policies that keep no tiles hardly ever win.
        std::ranges::stable_sort(named, {}, [&](const Candidate& c) {
            return std::pair(!c.policy.caching, trials_.work_of(c));
        });
        const double most = (elsewhere_ ? part_of_named : 1) * work_;
        for (const Candidate& c : named) {
            const double room = most - trials_.spent();
            if (trials_.work_of(c) <= room) note(trials_.attempt(c, found_.seconds, room));
        }
        if (elsewhere_) ask();
        found_.plan = trials_.kept();
        return std::move(found_);
    }

  private:
    void note(double seconds) {
        if (seconds >= found_.seconds) return;
        found_.seconds = seconds;
        trials_.keep();
    }

    void ask() {
        const ProposalCost cost = proposal_cost(frame_.devices.size(), frame_.machine.links.size());
        const double steps = (work_ - trials_.spent() - cost.fixed) / cost.step;
        if (steps <= 0) return;
        const Offer offer = elsewhere_(frame_, frame_.problem, {}, {steps, found_.seconds});
        if (!offer.plan) return;
        found_.tried.push_back({names_of(frame_, frame_.devices) + " policy dynamic",
                                offer.plan->prediction.seconds, offer.plan->steps.size(), false});
        note(trials_.adopt(*offer.plan));
    }

    const Draft& frame_;
    const Elsewhere& elsewhere_;
    const double work_;
    OthersBest found_;
    Trials trials_;
};

}  // namespace

std::function<OthersBest()> ask_others(const Draft& frame, std::vector<Candidate> named,
                                       const Help& help, double work) {
    const auto best = std::make_shared<OthersBest>();
    const std::function<void()> find = [&frame, &help, work, named = std::move(named), best] {
        *best = Others(frame, help.elsewhere, work).run(named);
    };
    const std::function<void()> wait = help.aside ? help.aside(find) : find;
    return [wait, best] {
        wait();
        return std::move(*best);
    };
}

}  // namespace gemmill
