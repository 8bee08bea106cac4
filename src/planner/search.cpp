// SPDX-License-Identifier: Apache-2.0
#include "planner/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "planner/bands.hpp"
#include "planner/moves.hpp"
#include "planner/rough.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr double candidate_steps = 150;  // what a plan costs besides its steps

/// Looking for a faster plan should not take longer than running it a few times, and may take
/// longer where there is more to find: a run is long, or C, which goes both ways, is most of what
/// moves, so that much depends on when each part of it goes.
double fit_budget(double budget, const Draft& now) {
    constexpr double planned_a_second = 5e6, more_a_second = 1.5e5, most_more = 1.15, for_c = 3;
    if (budget <= 0) return budget;
    const auto bytes = [&](OperandId operand) {
        return static_cast<double>(operand_bytes(now.problem, operand));
    };
    const double seconds = now.prediction.seconds;
    const bool mostly_c = bytes(operand::C) > bytes(operand::A) + bytes(operand::B);
    const double more =
        mostly_c ? for_c * budget : std::clamp(more_a_second * seconds, budget, most_more * budget);
    return std::min(more, planned_a_second * seconds);
}

/// The largest tiles that are moved; those that stay at home may be larger.
TileSize tile_used(const Draft& plan) {
    TileSize used{1, 1, 1};
    for (const Buffer& buffer : plan.buffers) {
        const Tile& t = plan.tiles[static_cast<std::size_t>(buffer.tile)];
        if (t.operand == operand::C) {
            used.m = std::max(used.m, t.rows);
            used.n = std::max(used.n, t.cols);
            continue;
        }
        index_t& side = t.operand == operand::A ? used.m : used.n;
        side = std::max(side, c_span(plan.problem, t).count);
        used.k = std::max(used.k, k_span(plan.problem, t).count);
    }
    return used;
}

/// A candidate whose plan was made.
struct Found {
    Candidate candidate;
    double seconds = std::numeric_limits<double>::infinity();
};

class Search {
  public:
    Search(const Draft& frame, double budget, std::vector<Tried>* tried)
        : frame_(frame), whole_(budget), budget_(budget), tried_(tried) {}

    Draft run(const Candidate& first) {
        first_ = first;
        start(first_);
        budget_ += fit_budget(whole_, *plan_) - whole_;
        if (first_.policy.search) look_further();
        return std::move(*plan_);
    }

  private:
    /// Strips where they can be, otherwise tiles; both where memory is short.
    void start(const Candidate& first) {
        const Candidate tiles = affordable_tiles(first);
        const bool affordable = rough_steps(frame_, tiles.policy, tiles.choice) < budget_;
        const bool bands = first.policy.search && needs_bands(frame_, first.choice.devices);
        if (bands && affordable) make(tiles);
        if (first.policy.search)
            for (const Candidate& strips : strips_of(first))
                if (fits_budget(strips) && std::isfinite(make(strips))) coarse_.push_back(last_);
        if (coarse_.empty() && affordable && !bands) make(tiles);
        if (coarse_.empty() && !bands && first.policy.search) start_with_fewer();
        if (!plan_) keep(tiles, plan_candidate(frame_, tiles));
    }

    /// Strips are few, unless they are cut into many bands.
    bool fits_budget(const Candidate& c) const {
        return c.choice.strips.bands == 0 || rough_steps(frame_, c.policy, c.choice) < budget_;
    }

    /// All devices may be faster already than fewer can be.
    bool may_win(const Candidate& c) const {
        return !plan_ || bound_seconds(frame_.machine, frame_.operands, frame_.goal,
                                       c.choice.devices) < best_.seconds;
    }

    /// Where all devices would have many tiles to share, one that has everything may be faster, and
    /// should be found before the budget is gone.
    void start_with_fewer() {
        for (std::size_t count = frame_.devices.size() / 2; count >= 1; count /= 2)
            for (const Candidate& c : with_devices(pick_devices(frame_, count)))
                if (4 * rough_steps(frame_, c.policy, c.choice) < budget_ && may_win(c)) make(c);
    }

    std::vector<Candidate> strips_of(const Candidate& c) const {
        if (c.policy.order != Sequence::strips) return {};
        return coarse_strips(frame_, c);
    }

    /// What policies that search mean by strips where there can be none.
    static Candidate tiles_of(Candidate c) {
        if (c.policy.search && c.policy.order == Sequence::strips)
            c.policy.order = Sequence::panels;
        return c;
    }

    /// Those that the policy would choose, or larger ones where these are too many to be looked at.
    Candidate affordable_tiles(const Candidate& first) const {
        constexpr index_t least = 1024;
        const Candidate wanted = tiles_of(first);
        Candidate c = wanted;
        if (!c.policy.search || c.choice.fixed_tile) return wanted;
        for (index_t edge = least; 2 * rough_steps(frame_, c.policy, c.choice) > budget_;
             edge *= 2) {
            if (edge > std::max({frame_.problem.m, frame_.problem.n, frame_.problem.k}))
                return wanted;
            c.choice.tile = {edge, edge, edge};
        }
        return c;
    }

    /// From all devices and from fewer, where they are nearly as fast, each with its part of the
    /// budget.
    void look_further() {
        constexpr double near = 1.15, as_good = 1.03;
        std::vector<Found> heads = fewer_devices();
        std::erase_if(heads, [&](const Found& f) { return f.seconds > near * best_.seconds; });
        const auto slices = [](const Found& f) { return f.candidate.choice.strips.slices; };
        for (const Found& f : coarse_)
            if (slices(f) != slices(best_) && f.seconds < as_good * best_.seconds)
                heads.push_back(f);
        for (std::size_t i = 0; i < heads.size(); ++i)
            descend(heads[i], budget_ * (1 - 1 / static_cast<double>(heads.size() - i)));
        descend(best_, 0);
        std::ranges::stable_sort(coarse_, {}, &Found::seconds);
        for (const Found& begun : coarse_) descend(begun, 0);
    }

    /// Notes a plan, and keeps it when it is the fastest so far.
    double keep(const Candidate& candidate, Draft plan) {
        const double seconds = plan.prediction.seconds;
        budget_ -= candidate_steps + static_cast<double>(plan.steps.size());
        if (tried_ != nullptr)
            tried_->push_back({describe(frame_, candidate), seconds, plan.steps.size()});
        last_ = {settled(candidate, plan), seconds};
        if (plan_ && seconds >= plan_->prediction.seconds * (1 - 1e-6)) return seconds;
        best_ = last_;
        plan_ = std::move(plan);
        return seconds;
    }

    /// With what the planner chose by itself written down, so that it can be varied.
    Candidate settled(Candidate c, const Draft& plan) const {
        if (c.choice.grid.rows == 0)
            c.choice.grid =
                best_grid(frame_.problem, static_cast<index_t>(c.choice.devices.size()));
        if (c.policy.order != Sequence::strips && c.choice.tile.m == 0)
            c.choice.tile = tile_used(plan);
        return c;
    }

    /// Its seconds, or infinity when it does not fit, has too many tiles, or lacks links.
    double make(const Candidate& candidate) {
        try {
            return keep(candidate, plan_candidate(frame_, candidate));
        } catch (const Error&) {
            return std::numeric_limits<double>::infinity();
        }
    }

    /// Makes it when it is new and the budget above `floor` allows it.
    double consider(const Candidate& candidate, double floor = 0) {
        const bool affordable =
            budget_ - floor > rough_steps(frame_, candidate.policy, candidate.choice);
        if (!affordable || !seen_.insert(describe(frame_, candidate)).second)
            return std::numeric_limits<double>::infinity();
        return make(candidate);
    }

    /// The best so far, and half as many devices again and again until it is plain that fewer are
    /// slower.
    std::vector<Found> fewer_devices() {
        constexpr double hopeless = 1.3;
        std::vector<Found> found{best_};
        for (std::size_t count = frame_.devices.size() / 2; count >= 1; count /= 2) {
            Found fewer;
            for (const Candidate& next : with_devices(pick_devices(frame_, count))) {
                if (consider(next) < fewer.seconds) fewer = last_;
                if (fewer.seconds > 1.5 * hopeless * best_.seconds) break;
            }
            if (fewer.seconds > hopeless * best_.seconds) break;
            found.push_back(fewer);
        }
        // A device that has everything may be faster than any that must share.
        if (favoured_device(frame_, frame_.devices) >= 0)
            consider(with_devices(pick_devices(frame_, 1)).front());
        return found;
    }

    /// The likeliest first: the one that is like the best so far.
    std::vector<Candidate> with_devices(std::vector<DeviceId> devices) const {
        Candidate c = first_;
        c.choice.devices = std::move(devices);
        std::vector<Candidate> some = strips_of(c);
        const Strips& like = best_.candidate.choice.strips;
        std::ranges::stable_sort(some, {}, [&](const Candidate& one) {
            return std::abs(one.choice.strips.front - like.front) +
                   (one.choice.strips.by_rows == like.by_rows ? 0 : 1);
        });
        if (!some.empty()) return some;
        c.choice.grid = best_grid(frame_.problem, static_cast<index_t>(c.choice.devices.size()));
        return {tiles_of(c)};
    }

    /// Each change in turn, as often as it helps, until none does or the budget is at `floor`.
    void descend(Found from, double floor) {
        for (bool better = true; better && budget_ > floor;) {
            better = false;
            for (const Move& move : moves_for(frame_, from.candidate)) {
                for (Candidate next = from.candidate; move(next); next = from.candidate) {
                    const double seconds = consider(next, floor);
                    if (seconds >= from.seconds) break;
                    from = {next, seconds};
                    better = true;
                }
            }
        }
    }

    const Draft& frame_;
    const double whole_;  // budget
    double budget_;       // what is left of it
    std::vector<Tried>* tried_;
    Candidate first_;
    Found best_, last_;
    std::optional<Draft> plan_;
    std::set<std::string> seen_;
    std::vector<Found> coarse_;  // where a long search starts again
};

}  // namespace

Draft plan_candidate(const Draft& frame, const Candidate& candidate) {
    Draft plan = frame;
    plan_gemm(plan, candidate.policy, candidate.choice);
    plan.prediction = predict(plan, simulate(plan));
    return plan;
}

Draft search_plan(const Draft& frame, const Candidate& start, double budget,
                  std::vector<Tried>* tried) {
    return Search(frame, budget, tried).run(start);
}

}  // namespace gemmill
