// SPDX-License-Identifier: Apache-2.0
#include "planner/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "gemmill/error.hpp"
#include "machine/sharing.hpp"
#include "model/engine.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

constexpr double steps_per_second = 5e6;
constexpr double candidate_steps = 250;  // what a plan costs besides its steps

std::string describe(const Plan& frame, const Candidate& c) {
    std::string devices;
    for (const DeviceId d : c.choice.devices)
        devices +=
            (devices.empty() ? "" : ",") + frame.machine.devices[static_cast<std::size_t>(d)].name;
    const TileSize& tile = c.choice.tile;
    return fmt::format("{} grid {}x{} tile {}x{}x{} order {} outer {} late_c {}:{} pieces {}",
                       devices, c.choice.grid.rows, c.choice.grid.cols, tile.m, tile.n, tile.k,
                       name_of(c.policy.order), c.choice.outer, name_of(c.policy.late_c),
                       c.choice.late_slots, c.policy.chain ? c.policy.pieces : 0);
}

/// What the links from host memory carry to these devices together.
double host_bandwidth(const Plan& frame, const std::vector<DeviceId>& devices) {
    std::vector<LinkId> links;
    for (std::size_t l = 0; l < frame.machine.links.size(); ++l) {
        const Link& link = frame.machine.links[l];
        const bool from_host =
            frame.machine.memories[static_cast<std::size_t>(link.from)].kind == MemoryKind::host;
        const bool to_one = std::ranges::any_of(devices, [&](DeviceId d) {
            return frame.machine.devices[static_cast<std::size_t>(d)].memory == link.to;
        });
        if (from_host && to_one) links.push_back(static_cast<LinkId>(l));
    }
    return aggregate_bandwidth(frame.machine, links);
}

/// So many of the devices: those where operands live first, then those that together get most from
/// the host.
std::vector<DeviceId> pick_devices(const Plan& frame, std::size_t count) {
    std::vector<DeviceId> picked;
    std::vector<DeviceId> left = frame.devices;
    const auto score = [&](DeviceId d) {
        const MemoryId memory = frame.machine.devices[static_cast<std::size_t>(d)].memory;
        const auto lives = std::ranges::count(frame.problem.home, memory);
        std::vector<DeviceId> with = picked;
        with.push_back(d);
        return std::pair(lives, host_bandwidth(frame, with));
    };
    while (picked.size() < count) {
        const auto best = std::ranges::max_element(left, {}, score);
        picked.push_back(*best);
        left.erase(best);
    }
    std::ranges::sort(picked);
    return picked;
}

class Search {
  public:
    Search(const Plan& frame, double budget, std::vector<Tried>* tried)
        : frame_(frame), budget_(budget), tried_(tried) {}

    Plan run(const std::vector<Candidate>& starts) {
        best_ = starts.front();
        plan_ = plan_candidate(frame_, best_);
        // Looking for a faster plan should not take longer than running it a few times.
        budget_ = std::min(budget_, steps_per_second * plan_->prediction.seconds);
        note(best_, *plan_);
        for (std::size_t i = 1; i < starts.size() && budget_ > 0; ++i) make(starts[i]);
        settle(best_, *plan_);
        fewer_devices(starts);
        for (bool better = true; better && budget_ > 0;) {
            better = false;
            for (const Candidate& next : neighbours()) better = consider(next) || better;
        }
        return std::move(*plan_);
    }

  private:
    /// Writes down what the planner chose by itself, so that it can be varied.
    void settle(Candidate& c, const Plan& plan) const {
        if (c.choice.grid.rows == 0)
            c.choice.grid =
                best_grid(frame_.problem, static_cast<index_t>(c.choice.devices.size()));
        if (c.choice.tile.m == 0) c.choice.tile = tile_used(plan);
    }

    /// The largest tiles that are moved; those that stay at home may be larger.
    static TileSize tile_used(const Plan& plan) {
        TileSize used{1, 1, 1};
        for (const Buffer& buffer : plan.buffers) {
            const Tile& t = plan.tiles[static_cast<std::size_t>(buffer.tile)];
            if (t.operand == Operand::C) {
                used.m = std::max(used.m, t.rows);
                used.n = std::max(used.n, t.cols);
                continue;
            }
            index_t& side = t.operand == Operand::A ? used.m : used.n;
            side = std::max(side, c_span(plan.problem, t).count);
            used.k = std::max(used.k, k_span(plan.problem, t).count);
        }
        return used;
    }

    void note(const Candidate& c, const Plan& plan) {
        last_seconds_ = plan.prediction.seconds;
        budget_ -= candidate_steps + static_cast<double>(plan.steps.size());
        if (tried_ != nullptr)
            tried_->push_back({describe(frame_, c), plan.prediction.seconds, plan.steps.size()});
    }

    /// Products of tiles; a plan has some more steps than that.
    double products(const TileSize& tile) const {
        const auto count = [](index_t whole, index_t size) {
            return std::ceil(static_cast<double>(whole) /
                             static_cast<double>(std::max<index_t>(size, 1)));
        };
        const Problem& p = frame_.problem;
        return tile.m == 0 ? 0 : count(p.m, tile.m) * count(p.n, tile.n) * count(p.k, tile.k);
    }

    /// Makes it when it is new and the budget allows it.
    bool consider(const Candidate& candidate) {
        const TileSize& tile = candidate.choice.tile;
        const double likely = std::max(products(tile.m > 0 ? tile : best_.choice.tile),
                                       0.7 * static_cast<double>(plan_->steps.size()));
        if (budget_ <= likely || !seen_.insert(describe(frame_, candidate)).second) return false;
        return make(candidate);
    }

    bool make(const Candidate& candidate) {
        std::optional<Plan> plan;
        try {
            plan = plan_candidate(frame_, candidate);
        } catch (const Error&) {
            return false;  // does not fit, or has too many tiles
        }
        note(candidate, *plan);
        if (plan->prediction.seconds >= plan_->prediction.seconds * (1 - 1e-6)) return false;
        plan_ = std::move(plan);
        best_ = candidate;
        return true;
    }

    /// Half as many again and again, each with the grid and tile that suit them, until it is plain
    /// that fewer are slower.
    void fewer_devices(const std::vector<Candidate>& starts) {
        constexpr double hopeless = 1.3;
        for (std::size_t count = frame_.devices.size() / 2; count >= 1; count /= 2)
            for (Candidate next : starts) {
                next.choice.devices = pick_devices(frame_, count);
                next.choice.grid = best_grid(frame_.problem, static_cast<index_t>(count));
                if (consider(next)) settle(best_, *plan_);
                if (last_seconds_ > hopeless * plan_->prediction.seconds) return;
            }
    }

    /// The likelier to help, the earlier: the budget may end.
    std::vector<Candidate> neighbours() const {
        std::vector<Candidate> all;
        const auto with = [&](auto&& change) {
            Candidate next = best_;
            change(next);
            all.push_back(std::move(next));
        };
        for (const double outer : {0.5, 0.75, 0.25, 1.0})
            with([&](Candidate& c) {
                c.policy.order = Sequence::panels;
                c.choice.outer = outer;
            });
        if (!best_.choice.fixed_tile)
            for (const Scale& scale : {Scale{2, 0.5, 2}, Scale{1, 0.5, 1}, Scale{0.5, 0.5, 0.5},
                                       Scale{2, 2, 2}, Scale{2, 1, 1}, Scale{1, 1, 2},
                                       Scale{1, 1, 0.5}, Scale{1, 2, 1}, Scale{0.5, 1, 1}})
                with([&](Candidate& c) {
                    TileSize& t = c.choice.tile;
                    t = {scaled(t.m, scale.m), scaled(t.n, scale.n), scaled(t.k, scale.k)};
                });
        for (const index_t slots : {8, 16})
            with([&](Candidate& c) { c.choice.late_slots = slots; });
        for (const LateC late : {LateC::never, LateC::always})
            with([&](Candidate& c) { c.policy.late_c = late; });
        for (const Sequence order : {Sequence::eta, Sequence::natural})
            with([&](Candidate& c) { c.policy.order = order; });
        with([&](Candidate& c) { c.policy.chain = !c.policy.chain; });
        for (const int pieces : {1, 4}) with([&](Candidate& c) { c.policy.pieces = pieces; });
        const auto count = static_cast<index_t>(best_.choice.devices.size());
        for (index_t rows = 1; rows <= count; ++rows)
            if (count % rows == 0 && rows <= frame_.problem.m && count / rows <= frame_.problem.n)
                with([&](Candidate& c) { c.choice.grid = {rows, count / rows}; });
        return all;
    }

    struct Scale {
        double m, n, k;
    };
    static index_t scaled(index_t tile, double factor) {
        constexpr index_t grain = 64;
        if (factor == 1) return tile;
        const auto wanted = static_cast<index_t>(static_cast<double>(tile) * factor);
        return std::max(grain, wanted / grain * grain);
    }

    const Plan& frame_;
    double budget_;
    std::vector<Tried>* tried_;
    Candidate best_;
    std::optional<Plan> plan_;
    std::set<std::string> seen_;
    double last_seconds_ = 0;  // of the last plan that was made
};

}  // namespace

Plan plan_candidate(const Plan& frame, const Candidate& candidate) {
    Plan plan = frame;
    plan_gemm(plan, candidate.policy, candidate.choice);
    plan.prediction = predict(plan, simulate(plan));
    return plan;
}

Plan search_plan(const Plan& frame, const std::vector<Candidate>& starts, double budget,
                 std::vector<Tried>* tried) {
    return Search(frame, budget, tried).run(starts);
}

}  // namespace gemmill
