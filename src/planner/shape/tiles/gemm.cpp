// SPDX-License-Identifier: Apache-2.0
// Each device computes its tiles of C. When all that it needs fits its memory, the policy says in
// which order; otherwise parts of C stay resident, with k outside, so that each panel of A and B is
// fetched once for the whole part. In issue order comes next whoever is free first. Fetches are
// issued with the first product that needs them and run ahead as far as free slots allow.
#include "planner/shape/tiles/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/route/costs.hpp"
#include "planner/route/estimate.hpp"
#include "planner/route/transport.hpp"
#include "planner/shape/resident/strips.hpp"
#include "planner/shape/streamed/bands.hpp"
#include "planner/split/parts.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr int most_queues = 256;

/// Everything about one device while its part of the plan is made.
struct Worker : Hand {
    explicit Worker(Hand hand) : Hand(std::move(hand)) {}

    std::vector<TileProduct> order;    // when it is known beforehand
    std::optional<Frontier> frontier;  // when it follows from arrivals
    std::size_t next = 0;              // in order
    std::vector<QueueId> queues;       // compute
    std::vector<index_t> done;         // products of each C tile, by its rows and columns
    std::vector<Ref> sums;             // where each C tile grows
    std::size_t cut = 0;               // first worker that cuts k in the same way
    bool sharing = false;              // takes part in chained fetches
};

class GemmPlanner {
  public:
    GemmPlanner(Draft& plan, const Policy& policy, const Choice& choice)
        : plan_(plan),
          problem_(plan.problem),
          policy_(policy),
          choice_(choice),
          builder_(plan, plan.most_steps),
          costs_(plan),
          estimate_(plan.machine),
          transport_(plan, builder_, estimate_, policy) {}

    void make() {
        if (problem_.m == 0 || problem_.n == 0) return;
        Deal deal = deal_tiles(plan_, policy_, choice_);
        rows_ = std::move(deal.rows);
        cols_ = std::move(deal.cols);
        for (Hand& hand : deal.hands) workers_.emplace_back(std::move(hand));
        reserve();
        for (Worker& worker : workers_) prepare(worker);
        find_sharers();
        inputs_.resize(workers_.size());
        free_.resize(workers_.size());
        while (Worker* worker = whose_turn()) multiply(*worker);
    }

  private:
    bool multiplies() const { return is_read(problem_, operand::A); }

    bool is_local(const Worker& w, OperandId operand) const {
        return problem_.home[static_cast<std::size_t>(operand)] == w.memory;
    }

    /// One pool for each operand and memory; devices that share a memory share its pools.
    void reserve() {
        for (std::size_t m = 0; m < plan_.machine.memories.size(); ++m)
            for (const OperandId operand : {operand::A, operand::B, operand::C}) {
                const auto i = static_cast<std::size_t>(operand);
                index_t slots = 0;
                std::int64_t bytes = 0;
                for (const Worker& w : workers_) {
                    if (w.memory != static_cast<MemoryId>(m)) continue;
                    slots += w.fit.slots[i];
                    bytes = std::max(bytes, w.fit.slot_bytes[i]);
                }
                if (slots == 0) continue;
                Builder::Pool pool = builder_.make_pool(static_cast<MemoryId>(m), bytes, slots);
                pool.lru = policy_.lru;
                transport_.use_pool(operand, std::move(pool));
            }
    }

    void prepare(Worker& w) {
        w.done.assign(w.share.rows.size() * w.share.cols.size(), 0);
        w.sums.resize(w.done.size());
        const Device& device = plan_.machine.devices[static_cast<std::size_t>(w.block.device)];
        const int own = policy_.queues > 0 ? policy_.queues : device.queues;
        const int queues = choice_.queues > 0 ? std::min(choice_.queues, most_queues) : own;
        for (int q = 0; q < (policy_.overlap ? queues : 1); ++q)
            w.queues.push_back(builder_.compute_queue(w.block.device, q));
        const auto depth = w.share.depth;
        if (!w.fit.whole && policy_.lru)
            w.order = natural_order(w.share);
        else if (!w.fit.whole)
            w.order = panel_order(w.share, static_cast<std::int32_t>(w.fit.rows),
                                  static_cast<std::int32_t>(w.fit.cols), depth);
        else if (policy_.order == Sequence::natural || !multiplies())
            w.order = natural_order(w.share);
        else if (policy_.order == Sequence::panels || policy_.order == Sequence::strips)
            w.order = panel_order(w.share, static_cast<std::int32_t>(w.share.rows.size()),
                                  static_cast<std::int32_t>(w.share.cols.size()),
                                  static_cast<std::int32_t>(std::lround(choice_.outer * depth)));
        else
            w.frontier.emplace(w.share);
        row_at_.push_back(positions(w.share.rows));
        col_at_.push_back(positions(w.share.cols));
        if (w.frontier) announce_local(w);
    }

    /// Tiles that live on the device are there from the start.
    void announce_local(Worker& w) {
        for (std::int32_t k = 0; k < w.share.depth; ++k) {
            if (is_local(w, operand::A))
                for (const std::int32_t i : w.share.rows) w.frontier->arrived(true, i, k, 0);
            if (is_local(w, operand::B))
                for (const std::int32_t j : w.share.cols) w.frontier->arrived(false, j, k, 0);
        }
    }

    static std::vector<std::size_t> positions(const std::vector<std::int32_t>& numbers) {
        std::vector<std::size_t> at;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            at.resize(std::max(at.size(), static_cast<std::size_t>(numbers[i]) + 1));
            at[static_cast<std::size_t>(numbers[i])] = i;
        }
        return at;
    }

    /// Whoever has a row (column) part needs its tiles of A (B), if k is cut in the same way.
    void find_sharers() {
        row_sharers_.resize(rows_.size());
        col_sharers_.resize(cols_.size());
        for (Worker& w : workers_) {
            w.cut = static_cast<std::size_t>(std::ranges::find(workers_, w.ks, &Worker::ks) -
                                             workers_.begin());
            w.sharing = shares(w);
            if (!w.sharing) continue;
            for (const std::int32_t i : w.share.rows)
                if (!is_local(w, operand::A))
                    row_sharers_[static_cast<std::size_t>(i)].push_back(w.memory);
            for (const std::int32_t j : w.share.cols)
                if (!is_local(w, operand::B))
                    col_sharers_[static_cast<std::size_t>(j)].push_back(w.memory);
        }
    }

    /// Those that keep what they fetch, and cut k as the first of them does.
    bool shares(const Worker& w) const {
        const auto fetches = [&](const Worker& other) {
            return other.fit.whole && !(is_local(other, operand::A) && is_local(other, operand::B));
        };
        const auto first = std::ranges::find_if(workers_, fetches);
        return fetches(w) && w.ks == first->ks;
    }

    // --- steps ----------------------------------------------------------------------------------

    /// Who is free first; nobody when all have finished.
    Worker* whose_turn() {
        const auto first = std::ranges::min_element(free_);
        return first == free_.end() || *first == Estimate::never
                   ? nullptr
                   : &workers_[static_cast<std::size_t>(first - free_.begin())];
    }

    std::optional<TileProduct> next_product(Worker& w) {
        if (w.frontier) return w.frontier->next();
        if (w.next == w.order.size()) return std::nullopt;
        return w.order[w.next++];
    }

    void multiply(Worker& w) {
        const auto index = static_cast<std::size_t>(&w - workers_.data());
        const auto product = next_product(w);
        if (!product) {
            free_[index] = Estimate::never;
            return;
        }
        const std::size_t c =
            row_at_[index][static_cast<std::size_t>(product->i)] * w.share.cols.size() +
            col_at_[index][static_cast<std::size_t>(product->j)];
        const Part& rows = rows_[static_cast<std::size_t>(product->i)];
        const Part& cols = cols_[static_cast<std::size_t>(product->j)];
        const Keep keep = w.done[c] == 0 ? start_sum(w, c, rows, cols) : Keep::sum;
        std::array<Ref, 2> in;
        if (multiplies()) {
            in[0] = bring(w, true, *product);
            in[1] = bring(w, false, *product);
        }
        const Step step = compute_step(plan_, problem_, w.queues[c % w.queues.size()], w.sums[c],
                                       keep, in[0], in[1]);
        transport_.compute(step, w.block.device, costs_.of(step, w.block.device).amount);
        if (++w.done[c] == static_cast<index_t>(w.ks.size())) finish_sum(w, step);
        free_[index] = estimate_.device_free(w.block.device);
    }

    /// In place when one step makes all of it, otherwise in a slot.
    Keep start_sum(Worker& w, std::size_t c, const Part& rows, const Part& cols) {
        const TileId tile =
            builder_.tile({operand::C, rows.first, cols.first, rows.count, cols.count});
        const bool reads = is_read(problem_, operand::C) && !w.late_c;
        w.sums[c] =
            w.fit.slots[2] == 0 ? Ref{tile, Ref::home} : transport_.place(tile, w.memory, reads);
        return reads ? Keep::old : Keep::zero;
    }

    void finish_sum(Worker& w, const Step& last) {
        if (last.out.buffer == Ref::home) return;
        if (w.late_c) {
            const Ref c = transport_.place(last.out.tile, w.memory, true);
            const Step add = add_step(plan_, last.queue, last.out, Keep::old, c);
            transport_.compute(add, w.block.device, costs_.of(add, w.block.device).amount);
            builder_.let_go(c.buffer);
        }
        transport_.write_back(last.out);
    }

    /// A tile of A or B.
    TileId input(const Worker& w, bool of_a, const TileProduct& p) {
        const std::vector<Part>& lines = of_a ? rows_ : cols_;
        const auto line = static_cast<std::size_t>(of_a ? p.i : p.j);
        const auto part = static_cast<std::size_t>(p.k);
        std::vector<TileId>& known = inputs_[w.cut][of_a ? 0 : 1];
        if (known.empty()) known.resize(lines.size() * w.ks.size(), -1);
        TileId& id = known[line * w.ks.size() + part];
        if (id < 0)
            id = builder_.tile(of_a ? stored_tile(problem_, operand::A, lines[line], w.ks[part])
                                    : stored_tile(problem_, operand::B, w.ks[part], lines[line]));
        return id;
    }

    Ref bring(Worker& w, bool of_a, const TileProduct& p) {
        const TileId tile = input(w, of_a, p);
        static const std::vector<MemoryId> nobody;
        const auto& sharers = !w.sharing ? nobody
                              : of_a     ? row_sharers_[static_cast<std::size_t>(p.i)]
                                         : col_sharers_[static_cast<std::size_t>(p.j)];
        const Ref here = transport_.bring(tile, w.memory, sharers);
        for (const MemoryId memory : transport_.sent())
            for (Worker& other : workers_)
                if (other.memory == memory && other.frontier && other.cut == w.cut)
                    other.frontier->arrived(
                        of_a, of_a ? p.i : p.j, p.k,
                        policy_.order == Sequence::fewest ? 0 : estimate_.arrival(tile, memory));
        return here;
    }

    Draft& plan_;
    const Problem& problem_;
    const Policy& policy_;
    const Choice& choice_;
    Builder builder_;
    KernelCosts costs_;
    Estimate estimate_;
    TileTransport transport_;
    std::vector<Part> rows_, cols_;  // parts of m and n, by number
    std::vector<std::vector<MemoryId>> row_sharers_, col_sharers_;
    std::vector<Worker> workers_;
    std::vector<double> free_;  // when a worker is, by number; never: it has finished
    /// Tiles of A and of B by line and part of k, for each way to cut k; -1: not there yet.
    std::vector<std::array<std::vector<TileId>, 2>> inputs_;
    std::vector<std::vector<std::size_t>> row_at_, col_at_;  // by worker: number -> place in share
};

/// In strips, and where the matrices do not fit the memory of one device, in bands of strips.
void plan_parts(Draft& plan, const Policy& policy, const Choice& choice) {
    if (needs_bands(plan, choice.devices))
        plan_bands(plan, choice);
    else
        plan_strips(plan, policy, choice);
}

}  // namespace

void plan_gemm(Draft& plan, const Policy& policy, const Choice& choice) {
    if (policy.order == Sequence::strips && is_read(plan.problem, operand::A))
        plan_parts(plan, policy, choice);
    else
        GemmPlanner(plan, policy, choice).make();
}

}  // namespace gemmill
