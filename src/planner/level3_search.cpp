// SPDX-License-Identifier: Apache-2.0
#include "planner/level3_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "planner/candidates.hpp"
#include "planner/level3_moves.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr double plan_cost = 150;  // steps that a plan costs besides its own
constexpr double longer = 2;       // than for a gemm: there are more choices

/// Devices, then pairs of a name and a value, the same for the same choices.
std::string describe(const Draft& frame, const Level3Choice& c) {
    std::vector<std::string> names;
    for (const DeviceId d : c.devices)
        names.push_back(frame.machine.devices[static_cast<std::size_t>(d)].name);
    const auto flag = [](bool on) { return on ? "on" : "off"; };
    return fmt::format(
        "{} edge {} other {} taper {} tail {} tall {} outer {:.3f} late {} ahead {} singly {} "
        "groups {}",
        fmt::join(names, ","), c.cut.edge, c.cut.other, c.cut.taper, c.cut.tail, flag(c.tall),
        c.outer, flag(c.late), flag(c.ahead), flag(c.singly), c.groups);
}

/// The same with faster kernels, where their rates were measured: in calls of 0.1 s an H200 that
/// has rested for a moment is some 6 % faster than when it is warm. Peaks of other machines are no
/// rates.
std::optional<Machine> rested(Machine machine) {
    constexpr double faster = 1.06;
    bool measured = false;
    for (Device& device : machine.devices)
        for (Rates& rates : device.rates) {
            measured = true;
            for (double& rate : rates.flops) rate *= faster;
        }
    if (!measured) return {};
    return machine;
}

class Search {
  public:
    Search(const Draft& frame, const Policy& policy, double budget, std::vector<Tried>* tried)
        : frame_(frame),
          policy_(policy),
          budget_(longer * budget),
          tried_(tried),
          rested_(rested(frame.machine)) {}

    Draft run(const Level3Choice& first) {
        keep(first, make(first));
        if (policy_.search) {
            consider(finer(first));
            consider(tapered(first));
            start_with_squares(first);
            start_smaller();
            if (short_of_memory()) {
                const double budget = budget_;  // what is tried here is not taken off it
                try_triangles();
                try_lines();
                budget_ = budget;
            }
            while (improve()) {
            }
            prefer_whole();
        }
        return std::move(*plan_);
    }

  private:
    Draft make(const Level3Choice& choice) const {
        Draft plan = frame_;
        plan_level3(plan, policy_, choice);
        plan.prediction = predict(plan, simulate(plan));
        return plan;
    }

    /// What a plan takes, and where rates were measured also what it takes when kernels are faster:
    /// those of a rested GPU are, and then a plan must not wait for its transfers.
    double judge(const Draft& plan) const {
        if (!rested_) return plan.prediction.seconds;
        Draft rested = plan;
        rested.machine = *rested_;
        return (plan.prediction.seconds + predict(rested, simulate(rested)).seconds) / 2;
    }

    void note(const Level3Choice& choice, const Draft& plan) {
        if (tried_ != nullptr)
            tried_->push_back(
                {describe(frame_, choice), plan.prediction.seconds, plan.steps.size()});
    }

    void keep(const Level3Choice& choice, Draft plan) {
        budget_ -= plan_cost + static_cast<double>(plan.steps.size());
        seen_.insert(describe(frame_, choice));
        note(choice, plan);
        const double seconds = judge(plan);
        if (plan_ && seconds >= judged_ * (1 - 1e-6)) return;
        best_ = choice;
        judged_ = seconds;
        plan_ = std::move(plan);
    }

    /// Whether it is faster than all before.
    bool consider(const Level3Choice& choice) {
        if (budget_ <= 0 || seen_.contains(describe(frame_, choice))) return false;
        const double before = judged_;
        try {
            keep(choice, make(choice));
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory && error.code() != Code::no_device) throw;
            seen_.insert(describe(frame_, choice));
        }
        return judged_ < before;
    }

    /// Smaller tiles, each line of them in one go.
    static Level3Choice finer(Level3Choice c) {
        const auto half = [](index_t size) {
            return tile_size(static_cast<double>(size) / 2, size);
        };
        if (c.fixed_cut) return c;
        c.tall = false;
        c.cut = {half(c.cut.edge), half(c.cut.other)};
        c.outer = 0;
        return c;
    }

    /// Larger parts behind smaller ones, where one change after the other does not lead.
    Level3Choice tapered(Level3Choice c) const {
        const Problem& p = frame_.problem;
        const bool trmm = p.routine == Routine::trmm;
        if ((!trmm && !mirrors(p.routine)) || c.fixed_cut || !c.tall || 4 * c.cut.edge > p.k)
            return c;
        if (!trmm) {
            c.cut = {2 * c.cut.edge, c.cut.other, 4, 4};
        } else {
            c.cut = {9 * c.cut.edge / 4, 2 * c.cut.other, 3, 2};
            c.outer = 0.75;
        }
        return c;
    }

    /// Squares of C dealt one by one, all of them for each part of k: several devices then have
    /// something to do as soon as a little of A is there.
    void start_with_squares(Level3Choice c) {
        constexpr double good = 1.1;  // of what no plan can beat
        const Prediction& now = plan_->prediction;
        if (c.devices.size() < 2 || c.fixed_cut || now.seconds < good * now.bound_seconds) return;
        const Cut whole = sizes_of(frame_.problem);
        c.singly = true, c.outer = 1;
        for (const index_t parts : {8, 12}) {
            const double edge = static_cast<double>(whole.edge) / static_cast<double>(parts);
            c.cut.edge = tile_size(std::max(edge, static_cast<double>(least_edge)), whole.edge);
            c.cut.other = std::min(c.cut.edge, whole.other);
            consider(c);
        }
    }

    /// Fewer devices where all would have little to do.
    void start_smaller() {
        for (std::size_t count = frame_.devices.size() / 2; count >= 1; count /= 2) {
            Level3Choice fewer = best_;
            fewer.devices = pick_devices(frame_, count);
            fewer.tall = count == 1 && !fewer.fixed_cut;
            if (!consider(fewer)) break;
        }
    }

    bool short_of_memory() const {
        const Problem& p = frame_.problem;
        const auto bytes = [&](OperandId operand) { return operand_bytes(p, operand); };
        const std::int64_t c = bytes(operand::C);
        return is_read(p, operand::A) && !best_.fixed_cut &&
               bytes(operand::A) + bytes(operand::B) +
                       (writes_triangle(p.routine) ? c / 2 : 2 * c) >
                   least_room();
    }

    /// Blocks of a triangle that need few rows: as few blocks as fit, and the next number of them.
    void try_triangles() {
        const Problem& p = frame_.problem;
        if (!has_triangles(p.routine)) return;
        int left = 2;
        for (const index_t groups : triangle_groups()) {
            const auto cut = triangle_cut(p, groups, least_room());
            if (!cut || groups < std::ssize(best_.devices)) continue;
            Level3Choice next = best_;
            next.cut = *cut, next.groups = groups, next.tall = false;
            consider(next);
            if (--left == 0) break;
        }
    }

    /// Lines of trmm and trsm that A passes, where there is room for wide ones.
    void try_lines() {
        constexpr index_t wide = 4096;
        const Problem& p = frame_.problem;
        const Cut whole = sizes_of(p);
        if (!is_in_place(p.routine) || best_.devices.size() > 1 ||
            std::min(wide, whole.other) * p.k * bytes_of(p.type) > least_room())
            return;
        for (const index_t edge : {2048, 1024})
            for (const index_t other : {4096, 1024}) {
                Level3Choice next = best_;
                next.cut = {std::min(edge, whole.edge), std::min(other, whole.other)};
                next.tall = true, next.outer = 0.5;
                consider(next);
            }
    }

    std::int64_t least_room() const {
        std::int64_t room = std::numeric_limits<std::int64_t>::max();
        for (const DeviceId d : best_.devices) {
            const MemoryId memory = device_memory(frame_.machine, d);
            room = std::min(room, frame_.limit[static_cast<std::size_t>(memory)]);
        }
        return room;
    }

    /// Where all is on the device that computes, one call of its library does it. Tiles must be
    /// much faster than that: in core they took 6 to 14 % longer than predicted on an H200.
    void prefer_whole() {
        constexpr double much = 1.15;
        const MemoryId memory = device_memory(frame_.machine, best_.devices.front());
        const Problem& p = frame_.problem;
        const auto away = [&](OperandId operand) {
            return (operand == operand::C || is_read(p, operand)) &&
                   p.home[static_cast<std::size_t>(operand)] != memory;
        };
        if (best_.devices.size() > 1 || best_.fixed_cut || away(operand::A) || away(operand::B) ||
            away(operand::C))
            return;
        Level3Choice whole = best_;
        whole.cut = sizes_of(p);
        whole.tall = false;
        Draft plan = make(whole);
        note(whole, plan);
        if (plan.prediction.seconds > much * plan_->prediction.seconds) return;
        best_ = whole;
        plan_ = std::move(plan);
    }

    bool improve() {
        bool better = false;
        for (const Level3Move& move : moves_from(frame_.problem, best_))
            for (Level3Choice next = best_; move(next) && consider(next); next = best_)
                better = true;
        return better && budget_ > 0;
    }

    const Draft& frame_;
    const Policy& policy_;
    double budget_;
    std::vector<Tried>* tried_;
    const std::optional<Machine> rested_;
    Level3Choice best_;
    std::optional<Draft> plan_;
    double judged_ = 0;  // of plan_
    std::set<std::string> seen_;
};

/// Eight lines of tiles for each device, where that leaves them large enough.
Cut first_cut(const Draft& frame, const Policy& policy, const Choice& choice) {
    const Problem& p = frame.problem;
    const Cut whole = sizes_of(p);
    if (choice.tile.m > 0) return {choice.tile.m, choice.tile.m};
    if (!policy.search) {
        const index_t m = std::max<index_t>(1, p.m), n = std::max<index_t>(1, p.n);
        const index_t edge = choose_edge({policy.tiling,
                                          {0, m},
                                          {0, n},
                                          m,
                                          n,
                                          std::max<index_t>(1, p.k),
                                          static_cast<index_t>(choice.devices.size())});
        return {edge, edge};
    }
    const auto cut = [](index_t size, index_t parts) {
        const double edge = static_cast<double>(size) / static_cast<double>(parts);
        return tile_size(std::max(edge, static_cast<double>(least_edge)), size);
    };
    // As many lines for each device.
    const auto devices = static_cast<index_t>(choice.devices.size());
    const index_t lines = std::max<index_t>(2, (7 + devices) / devices) * devices;
    // A small first part of symm makes all of A's tiles small in one of their sides.
    const bool tapered = !reads_triangle(p.routine) || is_in_place(p.routine);
    const int taper = tapered && devices == 1 ? 2 : 0;
    return {cut(whole.edge, 8), cut(whole.other, lines), taper,
            reads_triangle(p.routine) ? taper : 0};
}

Level3Choice first_choice(const Draft& frame, const Policy& policy, const Choice& choice) {
    const auto& home = frame.problem.home;
    Level3Choice first;
    first.devices = choice.devices;
    first.cut = first_cut(frame, policy, choice);
    first.fixed_cut = choice.fixed_tile;
    // Kernels that run side by side are slower than one after the other, on GPUs that we measured.
    first.queues = choice.queues == 0 && policy.search ? 1 : choice.queues;
    first.tall = policy.search && !choice.fixed_tile && choice.devices.size() == 1;
    first.singly = policy.spread == Spread::turns;
    first.ahead = policy.order != Sequence::natural;
    first.outer = policy.search ? 0.5 : first.ahead ? 1 : 0;
    first.late = policy.late_c == LateC::always ||
                 (policy.late_c == LateC::shared && (home[2] == home[0] || home[2] == home[1]));
    return first;
}

}  // namespace

Draft search_level3(const Draft& frame, const Policy& policy, const Choice& choice, double budget,
                    std::vector<Tried>* tried) {
    return Search(frame, policy, budget, tried).run(first_choice(frame, policy, choice));
}

}  // namespace gemmill
