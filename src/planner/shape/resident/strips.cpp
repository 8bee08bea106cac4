// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/strips.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "plan/build/builder.hpp"
#include "planner/route/passing.hpp"
#include "planner/split/parts.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto id) { return static_cast<std::size_t>(id); }

/// One device, its block, and where it holds it: Ref::home for what lives on the device.
struct Worker {
    Block block;
    Part k;                    ///< its slice
    std::vector<Part> panels;  ///< of its slice
    MemoryId memory = -1;
    QueueId queue = -1, beside = -1;
    std::array<BufferId, 3> place{Ref::home, Ref::home, Ref::home};
    BufferId late = Ref::home;      ///< C of the front until it is added
    bool late_c = false;            ///< C of the front is added to its sums
    std::vector<Part> row_panels;   ///< rows of the front
    std::vector<Part> front, rest;  ///< columns
    std::vector<double> front_done;
    double ready = 0;                 ///< when all that was brought so far is there
    std::vector<std::size_t> writes;  ///< of its parts with all of k
};
using Group = std::vector<Worker*>;

class StripPlanner {
  public:
    StripPlanner(Draft& plan, const Policy& policy, const Choice& choice)
        : plan_(plan),
          problem_(plan.problem),
          policy_(policy),
          choice_(choice),
          strips_(checked(plan, choice)),
          builder_(plan, plan.most_steps),
          timed_(plan, builder_),
          passing_(plan, builder_, timed_, static_cast<int>(choice.devices.size())) {}

    void make() {
        make_workers();
        if (strips_.turns) timed_.take_turns();
        const bool has_front =
            std::ranges::any_of(workers_, [](const Worker& w) { return !w.front.empty(); });
        if (!has_front)
            bring_a();
        else if (strips_.by_rows)
            front_by_rows();
        else
            front_by_panels();
        if (strips_.slices > 1)
            reduce();
        else
            finish();
        timed_.issue();
    }

  private:
    /// Slices are for a front that is all there is; there are none where the devices do not form as
    /// many equal groups or k is too short.
    static Strips checked(const Draft& plan, const Choice& choice) {
        Strips s = choice.strips;
        const auto devices = static_cast<index_t>(choice.devices.size());
        if (devices % s.slices != 0 || plan.problem.k < s.slices) s.slices = 1;
        if (s.slices > 1) s.front = 1, s.by_rows = false;
        return s;
    }

    void make_workers() {
        const auto count = static_cast<index_t>(choice_.devices.size()) / strips_.slices;
        const bool sliced = strips_.slices > 1;
        const Grid grid = sliced ? best_grid(problem_, count) : choice_.grid;
        // All slices have the same blocks of C, to be added up, whatever devices make them.
        const std::vector<double> even(at(count), 1);
        for (index_t s = 0; s < strips_.slices; ++s) {
            const index_t first = problem_.k * s / strips_.slices;
            const Part k{first, problem_.k * (s + 1) / strips_.slices - first};
            const std::span<const DeviceId> devices =
                std::span(choice_.devices).subspan(at(s * count), at(count));
            for (const Block& block :
                 make_grid(plan_.machine, problem_, devices, grid, sliced ? even : choice_.shares))
                workers_.push_back(make_worker(block, k));
        }
        for (Worker& w : workers_) {
            row_groups_[{w.block.rows.first, w.k.first}].push_back(&w);
            col_groups_[{w.block.cols.first, w.k.first}].push_back(&w);
            peers_[{w.block.rows.first, w.block.cols.first}].push_back(&w);
        }
    }

    bool lives(OperandId operand, MemoryId memory) const {
        return problem_.home[at(operand)] == memory;
    }
    bool reads_c() const { return is_read(problem_, operand::C); }
    Part all_k() const { return {0, problem_.k}; }

    TileId tile(OperandId operand, const Part& rows, const Part& cols) {
        return builder_.tile(stored_tile(problem_, operand, rows, cols));
    }

    Worker make_worker(const Block& block, const Part& k) {
        Worker w;
        w.block = block;
        w.k = k;
        w.panels = growing(k, strips_.panels, strips_.growth);
        w.memory = device_memory(plan_.machine, block.device);
        w.queue = builder_.compute_queue(block.device, 0);
        const auto wanted = static_cast<index_t>(
            std::lround(strips_.front * static_cast<double>(block.cols.count)));
        const index_t wide = rounded(wanted, block.cols.count, block_of(plan_.machine, wanted));
        const Part front{block.cols.first, wide};
        const bool no_rest = wide == block.cols.count;
        w.front = strips_.by_rows
                      ? growing(front, strips_.panels, strips_.growth)
                      : taper(plan_.machine, front, strips_.strips, no_rest ? strips_.drain : 0);
        w.rest = taper(plan_.machine, {front.first + wide, block.cols.count - wide}, strips_.strips,
                       strips_.drain);
        w.row_panels = growing(block.rows, strips_.panels, strips_.growth);
        w.late_c = adds_late(w, wide);
        if (w.late_c || strips_.slices > 1) w.beside = builder_.urgent_queue(block.device);
        reserve(w, front);
        return w;
    }

    /// A front that grows over k has its C added at the end where C would otherwise take the links
    /// from A and B, or where it lives on the device and may only be replaced at once.
    bool adds_late(const Worker& w, index_t wide) const {
        if (!reads_c() || wide == 0 || strips_.by_rows) return false;
        if (strips_.slices > 1) return true;
        const auto home = problem_.home;
        return lives(operand::C, w.memory) || policy_.late_c == LateC::always ||
               (policy_.late_c == LateC::shared && (home[2] == home[0] || home[2] == home[1]));
    }

    void reserve(Worker& w, const Part& front) {
        const Part &rows = w.block.rows, &cols = w.block.cols;
        if (!lives(operand::A, w.memory))
            w.place[0] = builder_.keep(w.memory, tile(operand::A, rows, w.k));
        if (!lives(operand::B, w.memory))
            w.place[1] = builder_.keep(w.memory, tile(operand::B, w.k, cols));
        const bool local = lives(operand::C, w.memory);
        if (!local)
            w.place[2] = builder_.keep(w.memory, tile(operand::C, rows, cols));
        else if (front.count > 0 && !strips_.by_rows)
            w.place[2] = builder_.keep(w.memory, tile(operand::C, rows, front));
        if (w.late_c && !local && strips_.slices == 1)
            w.late = builder_.keep(w.memory, tile(operand::C, rows, front));
    }

    // --- bringing A and B -----------------------------------------------------------------------

    void share(OperandId operand, TileId id, const Group& group) {
        std::vector<Landing> all;
        for (Worker* w : group)
            if (!lives(operand, w->memory))
                all.push_back({w->memory, w->place[at(operand)], &w->ready});
        // Not where C lives, whose port has C to carry, if that is more.
        const auto carries_c = [&](const Landing& one) { return lives(operand::C, one.memory); };
        if (problem_.k < std::min(problem_.m, problem_.n) && !std::ranges::all_of(all, carries_c))
            for (Landing& one : all) one.enters = !carries_c(one);
        if (!all.empty()) passing_.share(id, all);
    }

    void bring_a() {
        for (const auto& [key, group] : row_groups_)
            share(operand::A, tile(operand::A, group.front()->block.rows, group.front()->k), group);
    }

    /// Panel `i` of every group's slice.
    void bring_panels(std::size_t i) {
        for (const auto& [key, group] : row_groups_)
            if (const Worker& w = *group.front(); i < w.panels.size())
                share(operand::A, tile(operand::A, w.block.rows, w.panels[i]), group);
        for (const auto& [key, group] : col_groups_)
            if (const Worker& w = *group.front(); i < w.panels.size() && !w.front.empty())
                share(operand::B, tile(operand::B, w.panels[i], span_of(w.front)), group);
    }

    // --- computing ------------------------------------------------------------------------------

    /// Returns when it is done.
    double multiply(const Worker& w, const Part& rows, const Part& cols, const Part& k, Keep keep,
                    BufferId out, double ready) {
        const Ref sum{tile(operand::C, rows, cols), out};
        const Ref first{tile(operand::A, rows, k), w.place[0]};
        const Ref second{tile(operand::B, k, cols), w.place[1]};
        return timed_.compute(compute_step(plan_, plan_.problem, w.queue, sum, keep, first, second),
                              ready);
    }

    /// The user's C in a place on the device; returns when it is there.
    double bring_c(const Part& rows, const Part& cols, BufferId place, double ready = 0) {
        const TileId c = tile(operand::C, rows, cols);
        return timed_.route(Opcode::fetch, {c, Ref::home}, {c, place}, ready);
    }

    /// The same for a part that is written soon: reading does not get far ahead of writing, so that
    /// neither is left over at the end, when links that carry both would be half idle.
    double bring_next_c(const Worker& w, const Part& rows, const Part& cols) {
        const auto ahead = static_cast<std::size_t>(strips_.ahead);
        const bool waits = ahead > 0 && w.writes.size() >= ahead;
        const double ready = waits ? timed_.also_wait(w.writes[w.writes.size() - ahead]) : 0;
        return bring_c(rows, cols, w.place[2], ready);
    }

    /// A part of C with all of k, in place where it lives on the device.
    void make_part(Worker& w, const Part& rows, const Part& cols) {
        const bool local = lives(operand::C, w.memory);
        double ready = w.ready;
        if (reads_c() && !local) ready = std::max(ready, bring_next_c(w, rows, cols));
        const BufferId out = local ? Ref::home : w.place[2];
        const Keep keep = reads_c() ? Keep::old : Keep::zero;
        const double done = multiply(w, rows, cols, all_k(), keep, out, ready);
        if (!local) w.writes.push_back(timed_.write({tile(operand::C, rows, cols), out}, done));
    }

    /// Every panel of A and B adds to the whole front; the last one finishes it strip by strip.
    void front_by_panels() {
        for (Worker& w : workers_)
            if (reads_c() && !w.late_c && !w.front.empty())
                w.ready = bring_c(w.block.rows, span_of(w.front), w.place[2]);
        std::size_t most = 0;
        for (const Worker& w : workers_) most = std::max(most, w.panels.size());
        for (std::size_t i = 0; i < most; ++i) {
            bring_panels(i);
            for (Worker& w : workers_)
                if (i < w.panels.size() && !w.front.empty()) add_panel(w, i);
        }
    }

    void add_panel(Worker& w, std::size_t i) {
        const Part& k = w.panels[i];
        const Keep first = reads_c() && !w.late_c ? Keep::old : Keep::zero;
        const Keep keep = i > 0 ? Keep::sum : first;
        if (i + 1 < w.panels.size()) {
            multiply(w, w.block.rows, span_of(w.front), k, keep, w.place[2], w.ready);
            return;
        }
        for (const Part& cols : w.front)
            w.front_done.push_back(multiply(w, w.block.rows, cols, k, keep, w.place[2], w.ready));
    }

    /// Columns of B and rows of A by turns, each of which finishes its part of C with all of the
    /// others that are there.
    void front_by_rows() {
        std::size_t most = 0;
        for (const Worker& w : workers_)
            most = std::max({most, w.row_panels.size(), w.front.size()});
        for (std::size_t i = 0; i < most; ++i) {
            for (const auto& [key, group] : col_groups_)
                if (const auto& front = group.front()->front; i < front.size())
                    share(operand::B, tile(operand::B, all_k(), front[i]), group);
            for (Worker& w : workers_)
                if (i > 0 && i < w.front.size())
                    make_part(w, first_of(w.row_panels, i), w.front[i]);
            for (const auto& [key, group] : row_groups_)
                if (const auto& row_panels = group.front()->row_panels; i < row_panels.size())
                    share(operand::A, tile(operand::A, row_panels[i], all_k()), group);
            for (Worker& w : workers_)
                if (i < w.row_panels.size() && !w.front.empty())
                    make_part(w, w.row_panels[i], first_of(w.front, i + 1));
        }
    }

    /// Strips of the rest, and between them what a front over k still lacks.
    void finish() {
        std::size_t fronts = 0, rests = 0;
        for (const Worker& w : workers_) {
            fronts = std::max(fronts, w.front_done.size());
            rests = std::max(rests, w.rest.size());
        }
        make_own_strips();
        for (std::size_t f = 0, r = 0; f < fronts || r < rests;) {
            const bool front_next = f * (rests + 1) <= r * (fronts + 1);
            if (f < fronts && (front_next || r == rests))
                finish_front(f++);
            else
                make_strip(r++);
        }
    }

    void finish_front(std::size_t i) {
        for (Worker& w : workers_) {
            if (i >= w.front_done.size()) continue;
            double ready = w.front_done[i];
            if (w.late_c) ready = add_c(w, i, w.late, ready);
            timed_.write({tile(operand::C, w.block.rows, w.front[i]), w.place[2]}, ready);
        }
    }

    /// Adds what is in a place to the sum of a strip; returns when it is done.
    double add(const Worker& w, TileId c, Keep keep, BufferId place, double ready) {
        return timed_.beside(add_step(plan_, w.beside, {c, w.place[2]}, keep, {c, place}), ready);
    }

    /// Adds the user's C, by way of a place where it does not live on the device.
    double add_c(const Worker& w, std::size_t i, BufferId place, double ready) {
        if (place != Ref::home) ready = std::max(ready, bring_c(w.block.rows, w.front[i], place));
        return add(w, tile(operand::C, w.block.rows, w.front[i]), Keep::old, place, ready);
    }

    /// Each strip of a front is gathered by one of those that have a slice of it, in turn.
    void reduce() {
        for (const auto& [key, group] : peers_)
            for (std::size_t i = 0; i < group.front()->front_done.size(); ++i) gather(group, i);
    }

    void gather(const Group& group, std::size_t i) {
        const Worker& owner = *group[i % group.size()];
        const TileId c = tile(operand::C, owner.block.rows, owner.front[i]);
        double ready = owner.front_done[i];
        for (const Worker* other : group) {
            if (other == &owner) continue;
            const BufferId inbox = builder_.keep(owner.memory, c);
            const double there =
                timed_.route(Opcode::fetch, {c, other->place[2]}, {c, inbox}, other->front_done[i]);
            ready = add(owner, c, Keep::sum, inbox, std::max(ready, there));
        }
        if (reads_c()) {
            const bool local = lives(operand::C, owner.memory);
            const BufferId place = local ? Ref::home : builder_.keep(owner.memory, c);
            ready = add_c(owner, i, place, ready);
        }
        timed_.write({c, owner.place[2]}, ready);
    }

    void make_strip(std::size_t i) {
        for (const auto& [key, group] : col_groups_)
            if (const auto& rest = group.front()->rest; i < rest.size())
                share(operand::B, tile(operand::B, all_k(), rest[i]), group);
        for (Worker& w : workers_)
            if (i < w.rest.size()) make_part(w, w.block.rows, w.rest[i]);
    }

    /// Where C lives B alone has to come, and should not come between all that goes to the others.
    void make_own_strips() {
        for (const auto& [key, group] : col_groups_) {
            Worker& w = *group.front();
            if (group.size() > 1 || !lives(operand::C, w.memory)) continue;
            for (const Part& cols : w.rest) {
                share(operand::B, tile(operand::B, all_k(), cols), group);
                make_part(w, w.block.rows, cols);
            }
            w.rest.clear();
        }
    }

    Draft& plan_;
    const Problem& problem_;
    const Policy& policy_;
    const Choice& choice_;
    const Strips strips_;
    Builder builder_;
    Timed timed_;
    Passing passing_;
    std::vector<Worker> workers_;
    using Key = std::pair<index_t, index_t>;
    std::map<Key, Group> row_groups_, col_groups_;  // by first row or column, and first of k
    std::map<Key, Group> peers_;                    // by first row and column
};

}  // namespace

void plan_strips(Draft& plan, const Policy& policy, const Choice& choice) {
    StripPlanner(plan, policy, choice).make();
}

}  // namespace gemmill
