// SPDX-License-Identifier: Apache-2.0
#include "planner/search/others.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "machine/reach.hpp"
#include "plan/bound.hpp"
#include "planner/candidate/describe.hpp"
#include "planner/candidate/start/lighten.hpp"
#include "planner/candidate/start/subsets.hpp"
#include "planner/search/budget.hpp"
#include "planner/search/trials.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double part_of_coarse = 0.04;  // of the work, for each named policy
constexpr double near = 1.3;             // smaller tiles may gain so much
constexpr double much = 0.25;            // of the work, for one of them
/// The scheduler cannot tell how much work its sizes of tiles will be: of 3489 random calls of its
/// policy 19 took over twice as many steps as were meant, none four times. What is given up gives
/// no plan at all, so that this is only where a plan that must be made ends.
constexpr double too_many = 4;

/// Named policies, with so much work.
class Named {
  public:
    Named(const Draft& frame, const Effort& effort)
        : frame_(frame),
          work_(effort.work),
          trials_(frame, effort.notes ? &found_.tried : nullptr) {
        found_.seconds = never;
    }

    /// The cheapest first, as they are, as long as one takes no more than half of what is left. Of
    /// the others all are tried as coarse as a part of the work allows; then those that were nearly
    /// the best as they are, or with the smallest tiles for which there is room; then the rest.
    OthersBest run(const std::vector<Candidate>& named) && {
        std::vector<const Candidate*> dear;
        for (const Candidate* c : cheap_first(named))
            if (c->policy.overlap && 2 * work_of(frame_, *c) <= left())
                try_fine(*c);
            else
                dear.push_back(c);
        std::vector<Coarse> coarse;
        for (const Candidate* c : dear) try_coarse(*c, coarse);
        std::ranges::stable_sort(coarse, {}, &Coarse::seconds);
        for (const Coarse& one : coarse)
            if (one.seconds < near * found_.seconds) try_fine(*one.candidate);
        for (const Candidate* c : dear) try_fine(*c);
        found_.plan = std::move(trials_).take();
        return std::move(found_);
    }

  private:
    /// A candidate that was tried with larger tiles than it has.
    struct Coarse {
        double seconds = 0;
        const Candidate* candidate = nullptr;
    };

    /// Those that do one step after the other come last: they hardly ever win.
    std::vector<const Candidate*> cheap_first(const std::vector<Candidate>& named) const {
        std::vector<const Candidate*> all;
        for (const Candidate& c : named) all.push_back(&c);
        std::ranges::stable_sort(all, {}, [&](const Candidate* c) {
            return std::pair(!c->policy.overlap, work_of(frame_, *c));
        });
        return all;
    }

    void try_coarse(const Candidate& candidate, std::vector<Coarse>& coarse) {
        if (!candidate.policy.overlap) return;
        const Candidate c = lightened(candidate, part_of_coarse * work_);
        const double seconds = attempt(c, near * found_.seconds);
        if (seconds < never && c != candidate) coarse.push_back({seconds, &candidate});
    }
    /// Where it cannot be as it is, first with a part of what is left: that tells what a step
    /// takes.
    void try_fine(const Candidate& c) {
        if (lightened(c, left()) != c) attempt(lightened(c, left() / 3), found_.seconds);
        attempt(lightened(c, left()), found_.seconds);
    }

    double left() const { return work_ - trials_.spent(); }

    Candidate lightened(Candidate c, double work) const {
        const PlanCost cost = cost_of(frame_, c);
        const double seen = (work - cost.fixed) / std::max(step_work_, cost.make);
        lighten(frame_, c, std::min(steps_for(cost, work), seen));
        return c;
    }

    double attempt(const Candidate& c, double limit) {
        if (work_of(frame_, c) > left() || std::ranges::find(seen_, c) != seen_.end()) return never;
        seen_.push_back(c);
        const double before = trials_.spent();
        const double seconds = trials_.attempt(c, limit, left());
        note_work(c, trials_.spent() - before);
        if (seconds < found_.seconds) {
            found_.seconds = seconds;
            trials_.keep();
        }
        return seconds;
    }

    /// How many rates the clock finds for a step depends on the machine: what was seen counts.
    void note_work(const Candidate& c, double work) {
        const auto steps = static_cast<double>(trials_.last().steps.size());
        if (steps > 0) step_work_ = std::max(step_work_, (work - cost_of(frame_, c).fixed) / steps);
    }

    const Draft& frame_;
    const double work_;
    double step_work_ = 0;  // most that a step was
    OthersBest found_;
    Trials trials_;
    std::vector<Candidate> seen_;
};

/// Where they are more than one thread may do, those that take much of the work have threads of
/// their own.
std::vector<std::vector<Candidate>> dealt(const Draft& frame, std::vector<Candidate> named,
                                          double work) {
    double all = 0;
    for (const Candidate& c : named) all += work_of(frame, c);
    if (all <= work) return {std::move(named)};
    const auto dear = std::stable_partition(named.begin(), named.end(), [&](const Candidate& c) {
        return !c.policy.overlap || work_of(frame, c) <= much * work;
    });
    std::vector<std::vector<Candidate>> threads;
    for (auto c = dear; c != named.end(); ++c) threads.push_back({*c});
    named.erase(dear, named.end());
    if (!named.empty()) threads.push_back(std::move(named));
    return threads;
}

/// What the scheduler proposes on these devices in so many steps; with its policy as a call of that
/// would have it.
OthersBest ask(const Draft& whole, const std::vector<DeviceId>& devices, const std::string& policy,
               const Elsewhere& elsewhere, double steps) {
    std::optional<Draft> part;
    if (devices != whole.devices) part.emplace(whole).devices = devices;
    const Draft& frame = part ? *part : whole;
    OthersBest found;
    found.seconds = never;
    if (steps <= 0) return found;
    Options options;
    options.policy = policy;
    const bool must = policy != whole.policy;
    Offer offer = elsewhere(frame, frame.problem, options, {steps, never, too_many * steps, !must});
    if (!offer.plan) return found;
    found.seconds = offer.plan->prediction.seconds;
    found.simulated = !must;
    found.tried.push_back({names_of(frame, frame.devices) + " policy dynamic", found.seconds,
                           offer.plan->steps.size(), false});
    static_cast<Plan&>(found.plan) = *std::move(offer.plan);
    return found;
}

}  // namespace

double scheduler_steps(const Draft& frame, double work) {
    std::vector<DeviceId> devices = frame.devices;
    std::erase_if(devices, [&](DeviceId d) { return is_host_device(frame.machine, d); });
    if (devices.empty()) devices = frame.devices;
    if (work <= 0)
        work = budget_for(bound_seconds(frame.machine, frame.operands, frame.goal, devices));
    return std::max(1.0,
                    steps_for(proposal_cost(devices.size(), frame.machine.links.size()), work));
}

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
                                                    const Effort& effort) {
    const double work = effort.work;
    std::vector<std::function<OthersBest()>> all;
    for (std::vector<Candidate>& some : dealt(frame, std::move(named), work))
        all.push_back(begin_aside(help, [&frame, effort, some = std::move(some)] {
            return Named(frame, effort).run(some);
        }));
    if (!help.elsewhere) return all;
    const auto begin = [&](const std::vector<DeviceId>& devices, const std::string& policy,
                           double steps) {
        all.push_back(begin_aside(help, [&frame, &help, steps, devices, policy] {
            return ask(frame, devices, policy, help.elsewhere, steps);
        }));
    };
    const auto within = [&](std::size_t devices) {
        return steps_for(proposal_cost(devices, frame.machine.links.size()), work);
    };
    const std::size_t count = frame.devices.size();
    begin(pick_devices(frame, count), frame.policy, within(count));
    begin(frame.devices, "dynamic", effort.steps);
    if (count > 1) begin(pick_devices(frame, count / 2), frame.policy, within(count / 2));
    return all;
}

}  // namespace gemmill
