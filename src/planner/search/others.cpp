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

    /// Policies that keep no tiles hardly ever win, and come last.
    OthersBest run(std::vector<Candidate> named) && {
        std::ranges::stable_sort(named, {}, [&](const Candidate& c) { return trials_.work_of(c); });
        try_all(named, true, (elsewhere_ ? part_of_named : 1) * work_);
        if (elsewhere_) ask();
        try_all(named, false, work_);
        found_.plan = trials_.kept();
        return std::move(found_);
    }

  private:
    /// Those that keep tiles, or the others, the cheapest first.
    void try_all(const std::vector<Candidate>& named, bool caching, double most) {
        for (const Candidate& c : named) {
            const double room = most - spent();
            if (c.policy.caching == caching && trials_.work_of(c) <= room)
                note(trials_.attempt(c, found_.seconds, room));
        }
    }

    double spent() const { return trials_.spent() + proposed_; }

    void note(double seconds) {
        if (seconds >= found_.seconds) return;
        found_.seconds = seconds;
        trials_.keep();
    }

    void ask() {
        const ProposalCost cost = proposal_cost(frame_.devices.size(), frame_.machine.links.size());
        const double steps = (work_ - spent() - cost.fixed) / cost.step;
        if (steps <= 0) return;
        const Offer offer = elsewhere_(frame_, frame_.problem, {}, {steps, found_.seconds});
        proposed_ = cost.fixed + cost.step * offer.made;
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
    double proposed_ = 0;  // work of the scheduler
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
