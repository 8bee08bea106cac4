// SPDX-License-Identifier: Apache-2.0
#include "schedule/recipe/propose.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "gemmill/error.hpp"
#include "machine/grain.hpp"
#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "schedule/queue/strip.hpp"
#include "schedule/recipe/starts.hpp"
#include "schedule/schedule.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr index_t least_edge = 256;  // smaller tiles are all launches and latencies
/// Eight devices with eight tasks of eight terms each: plans with fewer steps are coarse.
constexpr double coarse_steps = 3 * 8 * 8 * 8;

index_t rounded(double x, index_t most) {
    constexpr index_t block = 128;  // kernels like whole blocks
    const auto size = static_cast<index_t>(x);
    const index_t whole = size >= 2 * block ? (size + block / 2) / block * block : size;
    return std::clamp<index_t>(whole, 1, std::max<index_t>(1, most));
}

/// The same number of parts, as alike as kernels like them.
index_t evened(index_t size, index_t whole, index_t grain) {
    const index_t parts = (whole + size - 1) / std::max<index_t>(1, size);
    return parts <= 1 ? size : part_of(whole, parts, grain);
}

class Trials {
  public:
    Trials(const Plan& frame, const Problem& problem, const ProposalLimits& limits)
        : frame_(frame),
          p_(problem),
          limits_(limits),
          gpus_(without_cpu(frame)),
          guess_(frame, gpus_, problem, limits.options),
          grain_(grain_of(frame.machine)),
          at_hand_(frame),
          ground_(frame.machine),
          left_(limits.steps),
          seconds_(limits.seconds) {}

    std::optional<Proposal> run() {
        start_.options = limits_.options;
        start_.devices = frame_.devices;
        if (limits_.tile > 0)
            attempt(with_tiles(start_, {limits_.tile, limits_.tile, limits_.tile}));
        else
            try_all();
        return std::move(best_);
    }
    double made() const { return limits_.steps - left_; }

  private:
    void try_all() {
        try_starts();
        if (!fits_) try_smaller();
        if (best_) climb();
    }

    static Recipe with_tiles(Recipe recipe, const TaskTiles& tiles) {
        recipe.tiles = tiles;
        return recipe;
    }
    static Recipe with_grain(Recipe recipe, index_t grain) {
        recipe.grain = grain;
        return recipe;
    }
    TaskTiles evened_all(const TaskTiles& t) const {
        return {evened(t.rows, p_.m, grain_), evened(t.cols, p_.n, grain_),
                evened(t.depth, p_.k, grain_), t.strip, t.together};
    }
    TaskTiles in_blocks(const TaskTiles& t) const {
        const auto up = [](index_t x, index_t most) {
            return rounded(static_cast<double>(x), most);
        };
        return {up(t.rows, p_.m), up(t.cols, p_.n), up(t.depth, p_.k), t.strip, t.together};
    }

    /// So many targets a device, as square as they can be.
    TaskTiles tiles_for(double targets, std::size_t devices) const {
        const double half = writes_triangle(p_.routine) ? 0.5 : 1;
        const double area = half * static_cast<double>(p_.m) * static_cast<double>(p_.n) /
                            (targets * static_cast<double>(devices));
        const double edge = std::max(std::sqrt(area), static_cast<double>(least_edge));
        TaskTiles tiles;
        tiles.rows = rounded(edge, p_.m);
        tiles.cols = rounded(std::max(edge, area / static_cast<double>(tiles.rows)), p_.n);
        if (tiles.cols == p_.n)
            tiles.rows = rounded(std::max(edge, area / static_cast<double>(tiles.cols)), p_.m);
        tiles.depth = rounded(edge, p_.k);
        return tiles;
    }

    /// A few coarse ones first, then finer ones, as far as there is work for more than one of them:
    /// a guess may be wrong, of the time and of the steps.
    void try_starts() {
        double most = std::min(left_, coarse_steps);
        for (; 4 * most <= left_ / 2; most *= 4) try_likely(most, {4.0});
        try_likely(most, {4.0, 8.0, 2.0, 16.0, 1.0, 32.0});
    }

    /// The sizes that are likely to be fast, and in between squares of so many targets a device,
    /// which do well where much must come again, or where tasks wait for each other.
    void try_likely(double most, std::initializer_list<double> squares) {
        const std::vector<Recipe> likely =
            likely_starts(frame_, p_, limits_.options, most, limits_.at_least);
        std::size_t next = 0;
        for (const double targets : squares) {
            for (int i = 0; i < 2 && next < likely.size(); ++i) attempt(likely[next++]);
            const TaskTiles square = evened_all(tiles_for(targets, gpus_.size()));
            attempt(with_grain(with_tiles(start_, square), guess_.padded(square).grain));
        }
    }

    /// Where memory is short.
    void try_smaller() {
        TaskTiles tiles = tiles_for(32, gpus_.size());
        while (!fits_ && (tiles.rows > 1 || tiles.cols > 1 || tiles.depth > 1)) {
            for (index_t* size : {&tiles.rows, &tiles.cols, &tiles.depth})
                *size = std::max<index_t>(1, *size / 2);
            if (!attempt(with_tiles(start_, tiles))) return;
        }
    }

    /// Changes one thing at a time as long as that helps.
    void climb() {
        for (double before = -1; seconds_ != before;) {
            before = seconds_;
            for (const Shape3 by :
                 {Shape3{2, 0.5, 1}, {0.5, 2, 1}, {1, 1, 0.5}, {1, 1, 2}, {1, 0.5, 1}, {0.5, 1, 1}})
                attempt(with_tiles(best_->recipe, evened_all(scaled(best_->recipe.tiles, by))));
            attempt(with_tiles(best_->recipe, in_blocks(best_->recipe.tiles)));
            attempt(with_grain(best_->recipe, best_->recipe.grain == 1 ? grain_ : 1));
            TaskTiles whole = best_->recipe.tiles;
            whole.depth = p_.k;
            attempt(with_tiles(best_->recipe, whole));
        }
    }
    struct Shape3 {
        double rows, cols, depth;
    };
    TaskTiles scaled(const TaskTiles& t, const Shape3& by) const {
        const auto size = [](index_t old, double factor, index_t most) {
            if (factor == 1) return old;
            return std::max(rounded(factor * static_cast<double>(old), most),
                            std::min(least_edge, most));
        };
        return {size(t.rows, by.rows, p_.m), size(t.cols, by.cols, p_.n),
                size(t.depth, by.depth, p_.k), t.strip, t.together};
    }

    /// Where a plan is made anyway, and only its sizes are used, the first one may be more work
    /// than is known before; else what is begun and given up is lost.
    double steps_for(const TaskTiles& tiles) const {
        return limits_.at_least ? least_steps(p_, tiles) : steps_of(guess_, p_, tiles);
    }

    /// False when nothing more may be planned.
    bool attempt(Recipe recipe) {
        const std::size_t gpus = count_gpus(frame_, recipe.devices);
        recipe.tiles = fitted_on(p_, recipe.tiles, gpus);
        recipe.options.active = active_with(p_, recipe.tiles, gpus);
        const double steps = steps_for(recipe.tiles);
        const bool must = !best_ && limits_.at_least && made() < limits_.most;
        if (!must && steps > left_) return false;
        const auto same = [&](const Recipe& one) { return one == recipe; };
        if (std::ranges::any_of(tried_, same)) return true;
        tried_.push_back(recipe);
        left_ -= steps_besides;
        try {
            at_hand_.devices = recipe.devices;
            at_hand_.grain = recipe.grain;
            const double most = must ? limits_.most - made() : left_;
            const Tasks tasks = tasks_beside(at_hand_, p_, recipe.tiles, recipe.options.cpu_part);
            keep(schedule_within(at_hand_, tasks, recipe.options, ground_, {seconds_, most}),
                 recipe);
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
            // Smaller tiles may fit.
        }
        return true;
    }

    void keep(const ScheduleTrial& trial, const Recipe& recipe) {
        fits_ = true;
        left_ -= trial.work;
        if (trial.seconds >= seconds_) return;
        seconds_ = trial.seconds;
        if (!best_) best_ = Proposal{frame_, {}};
        std::swap(best_->plan, at_hand_);
        best_->plan.prediction.seconds = seconds_;
        best_->recipe = recipe;
    }

    const Plan& frame_;
    const Problem& p_;
    const ProposalLimits limits_;
    const std::vector<DeviceId> gpus_;  // where there are some
    const Guess guess_;                 // of all of them
    const index_t grain_;
    Plan at_hand_;  // of the last trial
    TrialGround ground_;
    double left_;
    double seconds_;  // of the best, or what it may take
    Recipe start_;
    std::vector<Recipe> tried_;
    bool fits_ = false;  // some tiles fit
    std::optional<Proposal> best_;
};

void complete(Plan& plan, const std::vector<DeviceId>& devices) {
    plan.prediction = predict(plan, simulate(plan));
    plan.devices = devices;
    plan.prediction.bound_seconds =
        bound_seconds(plan.machine, plan.operands, plan.goal, plan.devices);
}

}  // namespace

std::optional<Proposal> propose(const Plan& frame, const Problem& problem,
                                const ProposalLimits& limits, double* made) {
    Plan gpus = frame;
    gpus.devices = without_cpu(frame);
    Trials alone(gpus, problem, limits);
    auto best = alone.run();
    double steps = alone.made();
    if (gpus.devices != frame.devices) {
        ProposalLimits joint = limits;
        if (best) {
            joint.at_least = false;
            joint.seconds = makespan(simulate(best->plan));
        }
        Trials both(frame, problem, joint);
        if (auto shared = both.run()) best = std::move(shared);
        steps += both.made();
    }
    if (made != nullptr) *made = steps;
    if (best && limits.predicted) complete(best->plan, frame.devices);
    return best;
}

}  // namespace gemmill
