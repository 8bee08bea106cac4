// SPDX-License-Identifier: Apache-2.0
#include "planner/search/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "plan/bound.hpp"
#include "planner/candidate/beside.hpp"
#include "planner/candidate/move/moves.hpp"
#include "planner/candidate/pad.hpp"
#include "planner/candidate/rough.hpp"
#include "planner/candidate/start/starts.hpp"
#include "planner/candidate/start/subsets.hpp"
#include "planner/search/budget.hpp"
#include "planner/search/others.hpp"
#include "planner/search/trials.hpp"
#include "planner/split/beside.hpp"
#include "planner/split/decompose.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Starts that take longer than the best so far by this factor are not worth simulating to their
/// end; those within the second one may still lead to the best plan.
constexpr double much = 1.5, near = 1.15;
/// One call of a device's own library is kept, or taken, where tiles are not this much faster: they
/// took 6 to 14 % longer in core than predicted (docs/results/level3.md).
constexpr double plainly = 1.15;
/// Of the budget: for one start, which is cut coarser where it would take more, and on fewer
/// devices for less, for there are many of them; for changes at least.
constexpr double part_of_all = 0.10, part_of_fewer = 0.08, part_of_changes = 1.0 / 3;
/// The same for the only start that a search has.
constexpr double part_of_shared = 0.5;
/// What a CPU beside the devices is tried with, of what it could do in the time that they take.
constexpr std::array beside_parts{1.0, 0.85, 0.5};

/// A candidate, about what it takes to look at it, and whether it is a start of our own.
struct Priced {
    double work = 0;
    Candidate candidate;
    bool own = true;
};

/// Which devices a search looks at: all that there are, fewer, or both.
enum class Sets : std::uint8_t { both, all, fewer };

/// One kernel on a device that has all it needs, if only in sizes that must be padded.
bool is_one_call(const Plan& plan) {
    constexpr std::size_t with_copies = 5;
    if (plan.steps.size() > with_copies) return false;
    const auto stays = [&](const Step& s) {
        return moves(s) && memory_of(plan, s.in[0]) == memory_of(plan, s.out);
    };
    const auto kernel = [](const Step& s) { return !moves(s); };
    return std::ranges::count_if(plan.steps, kernel) == 1 &&
           std::ranges::count_if(plan.steps, stays) == std::ssize(plan.steps) - 1;
}

class Search {
  public:
    Search(const Draft& frame, const Candidate& first, const Scope& scope,
           std::vector<Tried>* tried, const Help& help)
        : frame_(frame),
          first_(first),
          scope_(scope),
          help_(help),
          trials_(frame, tried),
          time_bound_(frame.machine, frame.operands, frame.goal),
          bound_(bound_of(frame.devices)) {}

    /// With all that the same search would find on the first half of the devices, on the first
    /// quarter and so on, so that more devices are not slower than half of them.
    Draft run() && {
        find(true);
        if (best_.seconds == never) {
            make_one();
            if (first_.policy.search) look_further();
        }
        return std::move(trials_).finish(best_.seconds);
    }

    /// What is found without the halves, within the budget.
    OthersBest run_alone() && {
        find(false);
        return {std::move(trials_).take(), best_.seconds, {}, alone_};
    }

    /// Of fewer devices alone.
    OthersBest run_on_fewer() && {
        sets_ = Sets::fewer;
        start();
        if (best_.seconds < never) look_further();
        return {std::move(trials_).take(), best_.seconds, {}, {}};
    }

    /// Of one start and changes of it alone.
    OthersBest run_from(const Candidate& start) && {
        sets_ = Sets::all;
        consider(start, never);
        if (best_.seconds < never) look_further();
        return {std::move(trials_).take(), best_.seconds, {}, {}};
    }

  private:
    void find(bool halves) {
        if (asks_others()) sets_ = Sets::all;
        std::vector<std::function<OthersBest()>> others = ask();
        if (first_.policy.search) start();
        if (halves) ask_on_halves(others);
        if (best_.seconds < never) look_further();
        for (const auto& other : others) take(other());
        // The best without the CPU may have come last. What this takes is a few plans.
        if (alone_.seconds < beside_.seconds) try_beside(std::min(0.0, left() - work_beside()));
    }

    // --- budget ---------------------------------------------------------------------------------

    double whole_budget() const {
        if (scope_.work > 0) return scope_.work;
        // The best so far may still become twice as fast, and with it the budget half as large.
        const double known = std::min(best_.seconds, scope_.least);
        return budget_for(best_.seconds < never ? std::max(bound_, known / 2) : bound_);
    }
    double left() const { return whole_budget() - trials_.spent(); }
    double bound_of(const std::vector<DeviceId>& devices) const {
        return time_bound_.seconds(devices);
    }

    // --- making plans ---------------------------------------------------------------------------

    /// Its seconds when it is new, the budget above `floor` allows it, it ends within `limit`, and
    /// it is not more than `most` work.
    double consider(const Candidate& candidate, double limit, double floor = 0,
                    double most = never) {
        const double room = std::min(left() - floor, most);
        if (room < work_of(frame_, candidate) || std::ranges::find(seen_, candidate) != seen_.end())
            return never;
        seen_.push_back(candidate);
        const double seconds = trials_.attempt(candidate, limit, room);
        if (seconds < never) note(candidate, seconds);
        return seconds;
    }

    /// About how many steps a start on these devices may have.
    double steps_within(double work, const std::vector<DeviceId>& devices) const {
        Candidate start = first_;
        start.choice.devices = devices;
        const PlanCost cost = cost_of(frame_, start);
        return steps_for(cost, work);
    }

    void note(const Candidate& candidate, double seconds) {
        last_ = {settled(candidate, trials_.last()), seconds};
        if (seconds < alone_.seconds && leaves_cpu(candidate.choice)) alone_ = last_;
        if (seconds >= best_.seconds * lead()) return;
        best_ = last_;
        trials_.keep();
    }

    /// Whether the CPU that may stand beside the others has nothing to do.
    bool leaves_cpu(const Choice& choice) const {
        return choice.beside.lines == 0 &&
               std::ranges::find(choice.devices, frame_.cpu) == choice.devices.end();
    }

    /// Where one is a single call of a device's own library, and the other not.
    double lead() const {
        const bool was_one = best_.seconds < never && is_one_call(trials_.kept());
        const bool is_one = is_one_call(trials_.last());
        const double one = was_one == is_one ? 1 : is_one ? plainly : 1 / plainly;
        const bool was_joint = best_.seconds < never && uses_cpu(trials_.kept());
        const bool is_joint = uses_cpu(trials_.last());
        return was_joint == is_joint ? one : is_joint ? one / worth_the_cpu : one * worth_the_cpu;
    }
    /// Whether the CPU that may stand beside the others computes something.
    bool uses_cpu(const Plan& plan) const {
        return frame_.cpu >= 0 && std::ranges::any_of(plan.queues, [&](const Queue& queue) {
                   return queue.kind == QueueKind::compute && queue.index == frame_.cpu;
               });
    }
    std::vector<DeviceId> without_cpu() const {
        std::vector<DeviceId> devices = frame_.devices;
        std::erase(devices, frame_.cpu);
        return devices;
    }

    /// With what the planner chose by itself written down, so that it can be varied.
    Candidate settled(Candidate c, const Draft& plan) const {
        if (frame_.problem.routine != Routine::gemm) return c;
        if (c.choice.grid.rows == 0)
            c.choice.grid =
                best_grid(frame_.problem, static_cast<index_t>(c.choice.devices.size()));
        if (c.policy.order != Sequence::strips && c.choice.tile.m == 0)
            c.choice.tile = tile_used(plan);
        return c;
    }

    /// Whatever it costs: a plan there must be.
    void make_one() {
        const Starts starts =
            starts_on(frame_, first_, frame_.devices, steps_within(whole_budget(), frame_.devices));
        const Candidate& c =
            starts.otherwise.empty() ? starts.likely.front() : starts.otherwise.front();
        note(c, trials_.make(c, never, never));
    }

    // --- starts ---------------------------------------------------------------------------------

    /// With padding where that is likely to pay; what would be a single call also without.
    Starts padded(Starts starts, const std::vector<DeviceId>& devices) const {
        if (!should_pad(frame_, devices)) return starts;
        for (Candidate& c : starts.likely) c.choice.padded = true;
        const std::vector<Candidate> plain = starts.otherwise;
        for (Candidate& c : starts.otherwise) c.choice.padded = true;
        starts.otherwise.insert(starts.otherwise.begin(), plain.begin(), plain.end());
        return starts;
    }

    /// All that is begun on these devices, the cheapest first: it may show that dearer ones are not
    /// worth their while. Named policies on all devices are looked at by others, and those that
    /// keep no tiles hardly ever win on fewer. What takes much longer than the best so far is given
    /// up, and what takes over a part of the budget to look at is left out.
    void start_on(const std::vector<DeviceId>& devices, double part, double floor) {
        const double most = part * whole_budget();
        const Starts starts =
            padded(starts_on(frame_, first_, devices, steps_within(most, devices)), devices);
        std::vector<Priced> all;
        for (const Candidate& c : starts.likely) all.push_back({work_of(frame_, c), c});
        if (scope_.named && (devices != frame_.devices || !asks_others()))
            for (const Candidate& c : named_on(frame_, first_, devices))
                if (c.policy.caching) all.push_back({work_of(frame_, c), c, false});
        std::ranges::stable_sort(all, {}, &Priced::work);
        Found best;
        bool none = true;
        const auto make = [&](const Priced& one) {
            if (!one.own && one.work > most) return;
            const double may_take = one.own ? never : 2 * most;  // the guess is a rough one
            if (consider(one.candidate, much * best_.seconds, floor, may_take) == never) return;
            none = none && !one.own;
            coarse_.push_back(last_);
            if (one.own && last_.seconds < best.seconds) best = last_;
        };
        for (const Priced& one : all) make(one);
        if (none)
            for (const Candidate& c : starts.otherwise) make({work_of(frame_, c), c});
        if (best.seconds < never) heads_.push_back(best);
    }

    /// On all devices, and on half of them, a quarter and so on, where these could be faster by
    /// what no plan of theirs can beat: before all where that is likely, for plans of few devices
    /// are cheap. A third of the budget is left for what is near the best start.
    void start() {
        const double floor = part_of_changes * whole_budget(), likely = 1.25 * bound_;
        std::vector<std::pair<double, std::vector<DeviceId>>> fewer;
        if (sets_ != Sets::all)
            for (const std::vector<DeviceId>& devices : halves_of(frame_))
                fewer.emplace_back(bound_of(devices), devices);
        const auto before_all = [&](const auto& some) {
            return some.first <= likely || has_everything(some.second);
        };
        for (std::size_t i = fewer.size(); i-- > 0;)
            if (before_all(fewer[i])) start_on(fewer[i].second, part_of_fewer, floor);
        if (sets_ != Sets::fewer) {
            if (frame_.cpu >= 0) start_on(without_cpu(), part_of_all, floor);
            start_on(frame_.devices, part_of_all, 0);
        }
        std::ranges::reverse(fewer);
        for (const auto& some : fewer)
            if (left() > floor && !before_all(some) && some.first < best_.seconds)
                start_on(some.second, part_of_fewer, floor);
    }

    /// A device that has it all may be faster than any that must share.
    bool has_everything(const std::vector<DeviceId>& devices) const {
        return devices.size() == 1 && std::ranges::all_of(frame_.problem.home, [&](MemoryId home) {
                   return home == device_memory(frame_.machine, devices.front());
               });
    }

    // --- changes --------------------------------------------------------------------------------

    /// From the best start and from those that are nearly as fast, each with half of what is left;
    /// then the best on other numbers of devices, and on from there.
    void look_further() {
        std::erase_if(heads_, [&](const Found& f) { return f.seconds > near * best_.seconds; });
        std::ranges::stable_sort(heads_, {}, &Found::seconds);
        descend(best_, left() / 2);
        try_beside();
        for (const Found& head : heads_) descend(head, left() / 2);
        if (sets_ != Sets::all && left() > 0)
            for (const std::vector<DeviceId>& devices : others_than_halves(frame_))
                if (left() > 0 && bound_of(devices) < best_.seconds)
                    consider(moved_to(frame_, best_.candidate, devices), best_.seconds, left() / 2);
        descend(best_, work_beside());
        try_beside();
        std::ranges::stable_sort(coarse_, {}, &Found::seconds);
        for (const Found& begun : coarse_) descend(begun, 0);
    }

    /// What named policies and the scheduler make of the problem on all devices: each with as much
    /// work again, for that is done beside the search.
    std::vector<std::function<OthersBest()>> ask() const {
        if (!asks_others()) return {};
        auto others =
            ask_others(frame_, named_on(frame_, first_, frame_.devices), help_,
                       {whole_budget(), trials_.notes(), scheduler_steps(frame_, scope_.work)});
        if (frame_.devices.size() == 1) return others;
        const auto begin = [&](const Scope& scope, const auto& look) {
            others.push_back(begin_aside(help_, [this, scope, look] {
                std::vector<Tried> tried;
                OthersBest found = look(Search(frame_, first_, scope, noted_in(tried), help_));
                found.tried = std::move(tried);
                return found;
            }));
        };
        begin(scope_, [](Search&& search) { return std::move(search).run_on_fewer(); });
        Scope shared = scope_;
        shared.work = whole_budget();
        const double steps = steps_within(part_of_shared * shared.work, frame_.devices);
        for (const Candidate& c : shared_starts(frame_, first_, steps))
            begin(shared, [c](Search&& search) { return std::move(search).run_from(c); });
        return others;
    }
    /// Where no bound says that they must be slower than what was found so far. And on all devices
    /// but the host's own, so that no call is slower for a CPU beside them.
    void ask_on_halves(std::vector<std::function<OthersBest()>>& others) const {
        if (!asks_others()) return;
        Scope scope = scope_;
        scope.least = best_.seconds;
        std::vector<std::vector<DeviceId>> fewer;
        for (std::vector<DeviceId> some = frame_.devices; some.size() > 1;) {
            some.resize(some.size() / 2);
            fewer.push_back(some);
        }
        std::vector<DeviceId> gpus = frame_.devices;
        std::erase_if(gpus, [&](DeviceId d) { return is_host_device(frame_.machine, d); });
        if (!gpus.empty() && gpus.size() < frame_.devices.size() && gpus != fewer.front())
            fewer.insert(fewer.begin(), gpus);
        for (const std::vector<DeviceId>& some : fewer) {
            if (bound_of(some) >= best_.seconds) return;
            others.push_back(
                begin_aside(help_, [this, some, scope] { return run_on(some, scope); }));
        }
    }
    OthersBest run_on(const std::vector<DeviceId>& devices, const Scope& scope) const {
        Draft frame = frame_;
        frame.devices = devices;
        frame.cpu = find_cpu_beside(frame);
        Candidate first = first_;
        first.choice.devices = devices;
        std::vector<Tried> tried;
        OthersBest found = Search(frame, first, scope, noted_in(tried), help_).run_alone();
        found.tried = std::move(tried);
        return found;
    }
    /// Where others note their plans, as far as that is asked for.
    std::vector<Tried>* noted_in(std::vector<Tried>& tried) const {
        return trials_.notes() ? &tried : nullptr;
    }
    /// Where all is on one device, there is little that others could do.
    bool asks_others() const {
        return first_.policy.search && scope_.named && !has_everything(frame_.devices);
    }

    /// What was not simulated yet is so now, no further than it could be the best.
    void take(OthersBest others) {
        if (others.seconds == never) return trials_.note(others.tried);
        if (others.alone.seconds < alone_.seconds) alone_ = std::move(others.alone);
        trials_.adopt(std::move(others.plan));
        last_ = {};
        const double limit = best_.seconds * lead();
        double seconds = others.seconds;
        if (!others.simulated) {
            seconds = trials_.simulate_last(limit);
            others.tried.front().seconds = std::min(seconds, limit);
        }
        trials_.note(others.tried);
        if (seconds >= limit) return;
        best_.seconds = seconds;
        trials_.keep();
    }

    /// Beside the best without it, which may have changed since it was tried.
    double work_beside() const {
        if (frame_.cpu < 0 || alone_.seconds == never) return 0;
        return static_cast<double>(beside_parts.size()) * work_of(frame_, alone_.candidate);
    }
    /// The CPU beside what is the best without it, with a part that takes it as long as the others
    /// need for theirs, by its rate and what they reach; and with less, where that was too much.
    void try_beside(double floor = 0) {
        if (frame_.cpu < 0 || alone_.seconds == never) return;
        const double part = part_beside(frame_, frame_.cpu, alone_.seconds);
        const Found from = beside_ = alone_;
        const auto wanted =
            static_cast<index_t>(part * static_cast<double>(count_lines(frame_.problem)));
        const index_t block = whole_lines(frame_, from.candidate.choice, wanted);
        for (const double less : beside_parts) {
            Candidate c = from.candidate;
            c.choice.beside = cut_off(frame_.problem, frame_.cpu, less * part, block);
            const index_t lines = c.choice.beside.lines;
            if (lines > 0 && lines < count_lines(frame_.problem)) consider(c, best_.seconds, floor);
        }
    }

    /// Each change in turn, as often as it helps, until none does or the budget is at `floor`.
    void descend(Found from, double floor) {
        for (bool better = true; better && left() > floor;) {
            better = false;
            for (const Move& move : moves_for(frame_, from.candidate)) {
                for (Candidate next = from.candidate; move(next); next = from.candidate) {
                    const double seconds = consider(next, from.seconds, floor);
                    if (seconds >= from.seconds * (1 - 1e-6)) break;
                    from = last_;
                    better = true;
                }
            }
        }
    }

    const Draft& frame_;
    const Candidate first_;
    const Scope scope_;
    const Help& help_;
    Trials trials_;
    const TimeBound time_bound_;
    const double bound_;  // no plan is faster
    Sets sets_ = Sets::both;
    Found best_, last_;
    Found alone_;   // the best without the CPU that may stand beside the others
    Found beside_;  // beside which the CPU was tried last
    std::vector<Candidate> seen_;
    std::vector<Found> heads_, coarse_;
};

}  // namespace

Draft search_plan(const Draft& frame, const Candidate& first, const Scope& scope,
                  std::vector<Tried>* tried, const Help& help) {
    return Search(frame, first, scope, tried, help).run();
}

}  // namespace gemmill
