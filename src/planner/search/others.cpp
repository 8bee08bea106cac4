// SPDX-License-Identifier: Apache-2.0
#include "planner/search/others.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "planner/search/budget.hpp"
#include "planner/search/describe.hpp"
#include "planner/search/lighten.hpp"
#include "planner/search/subsets.hpp"
#include "planner/search/trials.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double part_of_coarse = 0.04;  // of the work, for each named policy
constexpr double near = 1.3;             // smaller tiles may gain so much

/// Named policies, with so much work.
class Named {
  public:
    Named(const Draft& frame, double work)
        : frame_(frame), work_(work), trials_(frame, &found_.tried) {
        found_.seconds = never;
    }

    /// Where not all can be afforded, first all of them as coarse as a part of the work allows;
    /// then those that were nearly the best as they are, or with the smallest tiles for which there
    /// is room; then the others.
    OthersBest run(const std::vector<Candidate>& named) && {
        std::vector<Coarse> coarse;
        double all = 0;
        for (const Candidate& c : named) all += trials_.work_of(c);
        if (all > work_)
            for (const Candidate& c : named) try_coarse(c, coarse);
        std::ranges::stable_sort(coarse, {}, &Coarse::seconds);
        for (const Coarse& one : coarse)
            if (one.seconds < near * coarse.front().seconds) try_fine(*one.candidate);
        for (const Candidate& c : named) try_fine(c);
        found_.plan = std::move(trials_).take();
        return std::move(found_);
    }

  private:
    /// A candidate that was tried with larger tiles than it has.
    struct Coarse {
        double seconds = 0;
        const Candidate* candidate = nullptr;
    };

    void try_coarse(const Candidate& candidate, std::vector<Coarse>& coarse) {
        if (!candidate.policy.overlap) return;  // one step after the other hardly ever wins
        const Candidate c = lightened(candidate, part_of_coarse * work_);
        const double seconds = attempt(c, near * found_.seconds);
        if (seconds < never && c != candidate) coarse.push_back({seconds, &candidate});
    }
    void try_fine(const Candidate& c) { attempt(lightened(c, left()), found_.seconds); }

    double left() const { return work_ - trials_.spent(); }

    Candidate lightened(Candidate c, double work) const {
        const PlanCost cost = trials_.cost_of(c);
        lighten(frame_, c, steps_for(cost, work));
        return c;
    }

    double attempt(const Candidate& c, double limit) {
        if (trials_.work_of(c) > left() || std::ranges::find(seen_, c) != seen_.end()) return never;
        seen_.push_back(c);
        const double seconds = trials_.attempt(c, limit, left());
        if (seconds < found_.seconds) {
            found_.seconds = seconds;
            trials_.keep();
        }
        return seconds;
    }

    const Draft& frame_;
    const double work_;
    OthersBest found_;
    Trials trials_;
    std::vector<Candidate> seen_;
};

/// What the scheduler proposes on these devices.
OthersBest ask(const Draft& whole, const std::vector<DeviceId>& devices, const Elsewhere& elsewhere,
               double work) {
    Draft frame = whole;
    frame.devices = devices;
    OthersBest found;
    found.seconds = never;
    const ProposalCost cost = proposal_cost(frame.devices.size(), frame.machine.links.size());
    const double steps = (work - cost.fixed) / cost.step;
    if (steps <= 0) return found;
    Offer offer = elsewhere(frame, frame.problem, {}, {steps});
    if (!offer.plan) return found;
    found.seconds = offer.plan->prediction.seconds;
    found.tried.push_back({names_of(frame, frame.devices) + " policy dynamic", found.seconds,
                           offer.plan->steps.size(), false});
    static_cast<Plan&>(found.plan) = *std::move(offer.plan);
    return found;
}

}  // namespace

std::function<OthersBest()> begin_aside(const Help& help, std::function<OthersBest()> work) {
    const auto best = std::make_shared<OthersBest>();
    const std::function<void()> find = [work = std::move(work), best] { *best = work(); };
    const std::function<void()> wait = help.aside ? help.aside(find) : find;
    return [wait, best] {
        wait();
        return std::move(*best);
    };
}

std::vector<std::function<OthersBest()>> ask_others(const Draft& frame,
                                                    std::vector<Candidate> named, const Help& help,
                                                    double work) {
    std::vector<std::function<OthersBest()>> all;
    all.push_back(begin_aside(
        help, [&frame, work, named = std::move(named)] { return Named(frame, work).run(named); }));
    if (!help.elsewhere) return all;
    const std::size_t half = frame.devices.size() / 2;
    for (const std::size_t count : {frame.devices.size(), half})
        if (count > 0)
            all.push_back(begin_aside(help, [&frame, &help, work, count] {
                return ask(frame, pick_devices(frame, count), help.elsewhere, work);
            }));
    return all;
}

}  // namespace gemmill
