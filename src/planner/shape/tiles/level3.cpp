// SPDX-License-Identifier: Apache-2.0
// Each device makes its targets, step by step in the order of its items; in issue order comes next
// whoever is free first. A step's tiles are brought when it is issued, and come as far ahead of it
// as slots allow.
//
//   rank updates, symm  a sum grows in a slot, from C or from nothing; then C is added late
//   trmm                a block of C is read by all it goes into, then multiplied into the sum of
//                       the others, or where it is when it comes before them
//   trsm                a block is solved where its sum is, written, and stays for those behind it
#include "planner/shape/tiles/level3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/route/costs.hpp"
#include "planner/route/estimate.hpp"
#include "planner/route/transport.hpp"
#include "planner/shape/resident/tall.hpp"
#include "planner/shape/shared/shared.hpp"
#include "planner/shape/try_plan.hpp"
#include "planner/split/decompose.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

/// One device.
struct Worker {
    DeviceId device = -1;
    MemoryId memory = -1;
    std::vector<std::int32_t> mine;
    Level3Fit fit;
    std::vector<Item> items;
    std::size_t next = 0;
    std::vector<QueueId> queues;
};

/// A tile of C while it is made.
struct Sum {
    Ref ref;
    bool begun = false;
    std::size_t done = 0;  // terms
    StepId written = -1;   // step
};

class Level3Planner {
  public:
    Level3Planner(Draft& plan, const Policy& policy, const Choice& choice)
        : plan_(plan),
          p_(plan.problem),
          policy_(policy),
          choice_(choice),
          builder_(plan, plan.most_steps),
          costs_(plan),
          estimate_(plan.machine),
          transport_(plan, builder_, estimate_, policy) {}

    void make() {
        if (p_.m == 0 || p_.n == 0) return;
        find_fit();
        sums_.resize(targets_.all.size());
        tiles_.resize(targets_.tiles.size(), -1);
        reserve();
        for (Worker& w : workers_) prepare(w);
        find_sharers();
        find_followers();
        free_.resize(workers_.size());
        while (Worker* w = whose_turn()) take_turn(*w);
        const auto done = [](const Worker& w) { return w.next == w.items.size(); };
        require(std::ranges::all_of(workers_, done), Code::internal, "an order without circles",
                "planner: devices wait for each other");
    }

  private:
    // --- sizes ----------------------------------------------------------------------------------

    /// Halves the tiles until they fit.
    void find_fit() {
        for (Cut cut = choice_.cut;; cut = {std::max<index_t>(1, cut.edge / 2),
                                            std::max<index_t>(1, cut.other / 2), false}) {
            check_count(cut);
            if (try_cut(cut)) return;
            if (choice_.fixed_tile || (cut.edge <= 1 && cut.other <= 1))
                throw Error(Code::out_of_memory,
                            fmt::format("{} of device memory do not hold the tiles of one step",
                                        human_bytes(static_cast<double>(least_limit()))),
                            "room for a few tiles");
        }
    }

    std::int64_t least_limit() const {
        std::int64_t least = plan_.limit[at(workers_.front().memory)];
        for (const Worker& w : workers_) least = std::min(least, plan_.limit[at(w.memory)]);
        return least;
    }

    /// A plan lists every step, so there must not be too many.
    void check_count(const Cut& cut) const {
        const double most = std::min(3e6, plan_.most_products);
        const auto parts = [](index_t whole, index_t size) {
            return std::max(1.0, static_cast<double>(whole) / static_cast<double>(size));
        };
        const bool half = reads_triangle(p_.routine);
        const index_t across = !half ? p_.k : p_.side == Side::Left ? p_.n : p_.m;
        const double along = parts(half ? p_.k : p_.n, cut.edge);
        if (along * along * parts(across, cut.other) > most)
            throw Error(Code::out_of_memory,
                        fmt::format("tiles of {} and {} are too small", cut.edge, cut.other),
                        "fewer products of tiles");
    }

    /// Tiles of trmm and trsm that depend on each other are dealt singly only where all stay.
    bool try_cut(const Cut& cut) {
        targets_ = targets_of(p_, cut);
        const bool apart = is_in_place(p_.routine) && deals_singly(plan_, choice_);
        const auto whole = [](const Worker& w) { return w.fit.whole; };
        if (try_deal(choice_) && (!apart || std::ranges::all_of(workers_, whole))) return true;
        if (!apart) return false;
        Choice lines = choice_;
        lines.singly = false;
        return try_deal(lines);
    }

    bool try_deal(const Choice& choice) {
        auto shares = deal_targets(plan_, targets_, choice);
        workers_.clear();
        for (std::size_t d = 0; d < shares.size(); ++d) {
            Worker w;
            w.device = choice_.devices[d];
            w.memory = device_memory(plan_.machine, w.device);
            w.mine = std::move(shares[d]);
            if (!w.mine.empty()) workers_.push_back(std::move(w));
        }
        for (Worker& w : workers_) {
            const auto same = std::ranges::count(workers_, w.memory, &Worker::memory);
            const Level3Room room{
                w.memory,        plan_.limit[at(w.memory)] / same, choice_.late ? late_slots : 0,
                policy_.caching, triangles_of(targets_, choice_),  plan_.grain};
            const auto fit = fit_level3(p_, targets_, w.mine, room);
            if (!fit) return false;
            w.fit = *fit;
        }
        return true;
    }

    void reserve() {
        for (std::size_t m = 0; m < plan_.machine.memories.size(); ++m)
            for (const OperandId operand : {operand::A, operand::B, operand::C}) {
                index_t slots = 0;
                std::int64_t bytes = 0;
                for (const Worker& w : workers_) {
                    if (w.memory != static_cast<MemoryId>(m)) continue;
                    slots += w.fit.slots[at(operand)];
                    bytes = std::max(bytes, w.fit.slot_bytes[at(operand)]);
                }
                if (slots == 0) continue;
                Builder::Pool pool = builder_.make_pool(static_cast<MemoryId>(m), bytes, slots);
                pool.lru = true;
                transport_.use_pool(operand, std::move(pool));
            }
    }

    void prepare(Worker& w) {
        const Device& device = plan_.machine.devices[at(w.device)];
        const int own = policy_.queues > 0 ? policy_.queues : device.queues;
        const int queues = choice_.queues > 0 ? std::min(choice_.queues, most_queues) : own;
        for (int q = 0; q < (policy_.overlap ? queues : 1); ++q)
            w.queues.push_back(builder_.compute_queue(w.device, q));
        w.items = order_items(p_, targets_, w.mine, w.fit, choice_);
    }

    /// Chained fetches are for tiles that stay with all who need them.
    void find_sharers() {
        sharers_.resize(targets_.tiles.size());
        const auto whole = [](const Worker& w) { return w.fit.whole; };
        if (!policy_.chain || workers_.size() < 2 || !std::ranges::all_of(workers_, whole)) return;
        for (const Worker& w : workers_)
            for (const std::int32_t i : w.mine)
                for (const TileTerm& term : terms_of(targets_, targets_.all[at(i)]))
                    for (const std::int32_t t : {term.first, term.second})
                        if (t >= 0 && is_factor(t)) note_sharer(t, w.memory);
    }

    /// Tiles of C come first.
    bool is_factor(std::int32_t tile) const { return at(tile) >= targets_.all.size(); }

    void note_sharer(std::int32_t number, MemoryId memory) {
        if (p_.home[at(targets_.tiles[at(number)].operand)] == memory) return;
        tile(number);
        std::vector<MemoryId>& all = sharers_[at(number)];
        if (std::ranges::find(all, memory) == all.end()) all.push_back(memory);
    }

    /// The plan's number of a tile.
    TileId tile(std::int32_t number) {
        TileId& id = tiles_[at(number)];
        if (id < 0) id = builder_.tile(targets_.tiles[at(number)]);
        return id;
    }
    TileId tile(const Target& t) {
        return tile(static_cast<std::int32_t>(&t - targets_.all.data()));
    }

    // --- steps ----------------------------------------------------------------------------------

    /// Whether several devices make targets of one line.
    void find_followers() {
        if (!is_in_place(p_.routine) || !is_read(p_, operand::A)) return;
        length_ = along(p_, targets_.all.back()) + 1;
        std::vector<DeviceId> makers(targets_.all.size() / at(length_), -1);
        for (const Worker& w : workers_)
            for (const std::int32_t i : w.mine) {
                DeviceId& maker = makers[line_at(i)];
                if (maker >= 0 && maker != w.device) made_.assign(makers.size(), 0);
                maker = w.device;
            }
    }
    std::size_t line_at(std::int32_t target) const { return at(target / length_); }
    bool shares_lines() const { return !made_.empty(); }

    /// A block of trsm is solved before it is used; one of trmm is used by all behind it before it
    /// is overwritten. Matters only between devices.
    bool ready(const Item& item) {
        if (!shares_lines()) return true;
        const bool solves = p_.routine == Routine::trsm;
        const index_t place = item.target % length_, first = item.target - place;
        index_t& made = made_[line_at(item.target)];
        while (made < length_ && is_made(first + (solves ? made : length_ - 1 - made))) ++made;
        return made >= (solves ? place : length_ - 1 - place);
    }
    bool is_made(index_t target) const {
        return sums_[at(target)].done >=
               std::max<std::size_t>(1, targets_.all[at(target)].term_count);
    }

    /// Who is free first of those that have something to do.
    Worker* whose_turn() {
        Worker* first = nullptr;
        double least = Estimate::never;
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            Worker& w = workers_[i];
            if (free_[i] >= least || !ready(w.items[w.next])) continue;
            first = &w;
            least = free_[i];
        }
        return first;
    }

    void take_turn(Worker& w) {
        work(w, w.items[w.next++]);
        free_[at(&w - workers_.data())] =
            w.next < w.items.size() ? estimate_.device_free(w.device) : Estimate::never;
    }

    bool local(const Worker& w, OperandId operand) const {
        return p_.home[at(operand)] == w.memory;
    }
    bool reads_c() const { return is_read(p_, operand::C); }

    /// C is added at the end; not to squares at the diagonal, which an add does not keep real.
    bool is_late(const Worker& w, const Target& t) const {
        if (!reads_c() || p_.routine == Routine::trmm || t.term_count < 2) return false;
        if (writes_triangle(p_.routine) && t.row == t.col) return false;
        const bool ahead = !is_in_place(p_.routine) || (choice_.ahead && w.fit.whole);
        return ahead && ((choice_.late && w.fit.whole) || local(w, operand::C));
    }

    void work(Worker& w, const Item& item) {
        const Target& t = targets_.all[at(item.target)];
        Sum& sum = sums_[at(item.target)];
        const TileTerm* term = item.term < 0 ? nullptr : &terms_of(targets_, t)[at(item.term)];
        const QueueId queue = w.queues[at(queue_number(item, t)) % w.queues.size()];
        if (term != nullptr && term->own && p_.routine == Routine::trmm)
            multiply_own(w, t, sum, *term, queue);
        else
            add_term(w, t, sum, term, queue);
        if (++sum.done >= t.term_count) finish(w, t, sum, queue);
    }

    /// Steps of one line of trmm and trsm stay in order, those of one target of others.
    index_t queue_number(const Item& item, const Target& t) const {
        return is_in_place(p_.routine) ? line_of(p_, t) : item.target;
    }

    void add_term(Worker& w, const Target& t, Sum& sum, const TileTerm* term, QueueId queue) {
        const bool solves = term != nullptr && term->own;
        const Keep keep = sum.begun ? Keep::sum : begin(w, t, sum);
        if (solves && sum.done > 0 && is_late(w, t)) add_c(w, sum, queue);
        std::array<Ref, 2> in;
        if (term != nullptr) in = bring_inputs(w, *term);
        compute(w, compute_step(plan_, p_, queue, sum.ref, keep, in[0], in[1]));
    }

    void compute(const Worker& w, const Step& step) {
        if (step.out.buffer == Ref::home) wait_for_readers(step.out.tile);
        transport_.compute(step, w.device, costs_.of(step, w.device).seconds());
        const auto id = static_cast<StepId>(plan_.steps.size()) - 1;
        for (const Ref& in : step.in)
            if (in.tile >= 0 && in.buffer == Ref::home) note_reader(in.tile, id);
        let_go(step);
    }

    /// Other devices may still read a block of C that is to be overwritten at home.
    void note_reader(TileId tile, StepId step) {
        if (shares_lines() && is_target(plan_, plan_.tiles[at(tile)]))
            readers_[tile].push_back(step);
    }
    void wait_for_readers(TileId tile) {
        if (!shares_lines()) return;
        for (const StepId reader : std::exchange(readers_[tile], {})) builder_.also_wait(reader);
    }

    /// In place where C lives and one step makes all of it, otherwise in a slot.
    Keep begin(Worker& w, const Target& t, Sum& sum) {
        sum.begun = true;
        const TileId c = tile(t);
        const bool late = is_late(w, t);
        const bool old = reads_c() && p_.routine != Routine::trmm && !late;
        if (local(w, operand::C) && t.term_count <= 1)
            sum.ref = {c, Ref::home};
        else
            sum.ref = transport_.place(c, w.memory, old);
        return old ? Keep::old : Keep::zero;
    }

    /// A block that all others have read: into the sum of what is before it, or where it is.
    void multiply_own(Worker& w, const Target& t, Sum& sum, const TileTerm& term, QueueId queue) {
        const TileId c = tile(t);
        const bool at_home = local(w, operand::C), stays = at_home && t.term_count == 1;
        // In BLASX what is written is no part of the cache, and comes from the host again.
        const bool apart = policy_.lru && shares_lines();
        Ref block{c, Ref::home};
        if (at_home ? !sum.begun && !stays : apart)
            block = transport_.place(c, w.memory, true);
        else if (!at_home)
            block = transport_.bring(c, w.memory, {});
        if (block.buffer != Ref::home) builder_.hold(block.buffer);
        const Ref square = bring(w, term.first);
        if (sum.begun) {
            const bool left = p_.side == Side::Left;
            compute(w, compute_step(plan_, p_, queue, sum.ref, Keep::sum, left ? square : block,
                                    left ? block : square));
        } else {
            sum.begun = true;
            sum.ref = block;
            compute(w, compute_step(plan_, p_, queue, sum.ref, Keep::zero, square));
        }
        transport_.forget(c, w.memory);
    }

    void add_c(Worker& w, const Sum& sum, QueueId queue) {
        const Ref c = local(w, operand::C) ? Ref{sum.ref.tile, Ref::home}
                                           : transport_.place(sum.ref.tile, w.memory, true);
        const Step add = add_step(plan_, queue, sum.ref, Keep::old, c);
        transport_.compute(add, w.device, costs_.of(add, w.device).seconds());
        if (c.buffer != Ref::home) builder_.let_go(c.buffer);
    }

    void finish(Worker& w, const Target& t, Sum& sum, QueueId queue) {
        if (sum.ref.buffer == Ref::home) {
            sum.written = static_cast<StepId>(plan_.steps.size()) - 1;
        } else {
            if (is_late(w, t) && !is_in_place(p_.routine)) add_c(w, sum, queue);
            wait_for_readers(sum.ref.tile);
            transport_.write_back(sum.ref);
            sum.written = static_cast<StepId>(plan_.steps.size()) - 1;
        }
        if (p_.routine != Routine::trsm) return;
        for (std::size_t m = 0; m < plan_.machine.memories.size(); ++m)
            transport_.forget(sum.ref.tile, static_cast<MemoryId>(m));
        if (sum.ref.buffer != Ref::home) transport_.adopt(sum.ref);
    }

    // --- inputs ---------------------------------------------------------------------------------

    /// An input keeps its slot until its step is issued.
    Ref bring(Worker& w, std::int32_t number) {
        const TileId id = tile(number);
        const std::size_t before = plan_.steps.size();
        const Ref ref = transport_.bring(id, w.memory, sharers_[at(number)]);
        for (std::size_t s = before; s < plan_.steps.size(); ++s)
            note_reader(id, static_cast<StepId>(s));
        if (ref.buffer != Ref::home) builder_.hold(ref.buffer);
        return ref;
    }

    /// A solved block that is still on the device, or its place at home once it is written.
    Ref bring_solved(Worker& w, std::int32_t target) {
        const TileId id = tile(target);
        const BufferId here = transport_.copy_of(id, w.memory);
        if (here < 0) builder_.also_wait(sums_[at(target)].written);
        const Ref ref = here >= 0 ? Ref{id, here} : transport_.bring(id, w.memory, {});
        if (ref.buffer != Ref::home) builder_.hold(ref.buffer);
        return ref;
    }

    std::array<Ref, 2> bring_inputs(Worker& w, const TileTerm& term) {
        std::array<Ref, 2> in;
        // What may have to wait for a write comes last: the wait is for the next step.
        const bool solved = p_.routine == Routine::trsm && term.second >= 0;
        const std::size_t block = is_factor(term.first) ? 1 : 0;
        const std::array tiles{term.first, term.second};
        for (std::size_t i = 0; i < 2; ++i)
            if (tiles[i] >= 0 && !(solved && i == block)) in[i] = bring(w, tiles[i]);
        if (solved) in[block] = bring_solved(w, tiles[block]);
        return in;
    }

    void let_go(const Step& step) {
        for (const Ref& in : step.in)
            if (in.tile >= 0 && in.buffer != Ref::home) builder_.let_go(in.buffer);
    }

    static constexpr int most_queues = 256;
    static constexpr index_t late_slots = 4;

    Draft& plan_;
    const Problem& p_;
    const Policy& policy_;
    const Choice& choice_;
    Builder builder_;
    KernelCosts costs_;
    Estimate estimate_;
    TileTransport transport_;
    Targets targets_;
    std::vector<Sum> sums_;      // by target
    std::vector<TileId> tiles_;  // of the plan, by number; -1: not there yet
    std::vector<Worker> workers_;
    std::vector<double> free_;  // when a worker is, by number; never: it has done all
    std::vector<std::vector<MemoryId>> sharers_;     // by number
    index_t length_ = 0;                             // targets in a line
    std::vector<index_t> made_;                      // of each line, where devices share lines
    std::map<TileId, std::vector<StepId>> readers_;  // who read it before it is overwritten
};

}  // namespace

void plan_level3(Draft& plan, const Policy& policy, const Choice& choice) {
    const bool tall = choice.tall && is_read(plan.problem, operand::A);
    if (tall && choice.devices.size() > 1) return plan_shared(plan, policy, choice);
    if (tall && try_plan(plan, [&](Draft& attempt) { plan_tall(attempt, choice); })) return;
    Level3Planner(plan, policy, choice).make();
}

}  // namespace gemmill
