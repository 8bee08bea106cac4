// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/shape/shared/planner.hpp"
#include "planner/split/parts.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

/// A column of blocks, and when what lies below its square, or above it, and the square are there.
struct Column {
    Part part;
    double rest = 0, square = 0;
};

/// One device, its columns, and where it holds what: Ref::home for what lives there.
struct Worker {
    DeviceId device = -1;
    MemoryId memory = -1;
    QueueId queue = -1, beside = -1;
    Part mine;
    std::vector<Column> cols;                    ///< the shortest one comes last
    std::array<std::vector<BufferId>, 2> place;  ///< of A and B, by part
    BufferId sums = Ref::home, old = Ref::home;
    double ready = 0;  ///< when what came of A and B is there
};

class SharedTriangle : SharedPlanner {
  public:
    SharedTriangle(Draft& plan, const Policy& policy, const Choice& choice)
        : SharedPlanner(plan, policy, choice),
          ks_(cut_from_small(p_.k, choice.cut.other, choice.cut.taper)),
          outer_(at(parts_within(ks_, choice.outer))) {}

    void make() {
        make_workers();
        cut_rows();
        for (std::size_t l = 0; l < ks_.size(); ++l) {
            bring_part(l);
            for (Worker& w : workers_)
                for (Column& col : w.cols)
                    if (l < outer_) add_part(w, col, l);
        }
        std::size_t most = 0;
        for (const Worker& w : workers_) most = std::max(most, w.cols.size());
        for (std::size_t i = 0; i < most; ++i)
            for (Worker& w : workers_)
                if (i < w.cols.size()) finish(w, w.cols[i]);
        timed_.issue();
    }

  private:
    bool lower() const { return p_.uplo == Uplo::Lower; }
    bool is_late(const Worker& w) const {
        return reads_c() && (choice_.late || lives(operand::C, w.memory));
    }

    // --- who has what ---------------------------------------------------------------------------

    /// The column up to which the first columns have a share of the triangle.
    index_t border_at(double share) const {
        const double part = lower() ? 1 - std::sqrt(1 - share) : std::sqrt(share);
        const auto wanted = static_cast<index_t>(std::lround(part * static_cast<double>(p_.n)));
        return rounded(wanted, p_.n, block_of(plan_.machine, wanted));
    }

    void make_workers() {
        double all = 0, before = 0;
        for (const DeviceId d : choice_.devices) all += rate_of(plan_.machine, p_, d);
        index_t first = 0;
        for (const DeviceId d : choice_.devices) {
            before += rate_of(plan_.machine, p_, d);
            const bool last = d == choice_.devices.back();
            const index_t end = last ? p_.n : border_at(std::min(1.0, before / all));
            if (end > first) workers_.push_back(make_worker(d, {first, end - first}));
            first = end;
        }
    }

    Worker make_worker(DeviceId device, const Part& mine) {
        Worker w;
        w.device = device;
        w.memory = device_memory(plan_.machine, device);
        w.queue = builder_.compute_queue(device, 0);
        w.beside = reads_c() ? builder_.urgent_queue(device) : w.queue;
        w.mine = mine;
        for (const Part& col : cut_equally(mine, choice_.cut.edge)) w.cols.push_back({col});
        if (!lower()) std::ranges::reverse(w.cols);
        for (const OperandId operand : {operand::A, operand::B})
            for (std::size_t l = 0; is_read(p_, operand) && l < held(); ++l)
                w.place[at(operand)].push_back(hold(w.memory, whole(operand, part(l))));
        const Tile box = stored_tile(operand::C, Op::NoTrans, rows_of(mine), mine);
        w.sums = keep(w.memory, box);
        if (is_late(w)) w.old = hold(w.memory, box);
        return w;
    }

    /// Parts of k that have places of their own: those that go over all of C, and all the others.
    std::size_t held() const { return std::min(outer_ + 1, ks_.size()); }
    Part part(std::size_t l) const {
        return l < outer_ ? ks_[l] : Part{ks_[l].first, p_.k - ks_[l].first};
    }
    Tile whole(OperandId operand, const Part& k) const {
        const bool own = operand == operand::B && p_.routine == Routine::gemmt;
        return own ? second(operand, k, {0, p_.n}) : first(operand, {0, p_.n}, k);
    }

    /// Where devices pass on to each other what comes, whole columns of a part do, which travel
    /// fastest; where each reads the host itself, only the rows that it needs.
    void cut_rows() {
        const auto linked = [&](const Worker& a) {
            return std::ranges::all_of(workers_, [&](const Worker& b) {
                return a.memory == b.memory || builder_.link(a.memory, b.memory) >= 0;
            });
        };
        rows_ = {{0, p_.n}};
        if (std::ranges::all_of(workers_, linked)) return;
        rows_.clear();
        for (const Worker& w : workers_) rows_.push_back(w.mine);
    }

    // --- blocks ---------------------------------------------------------------------------------

    /// Rows of C from a column's square on, to the end of the triangle.
    Part rows_of(const Part& cols) const {
        return lower() ? Part{cols.first, p_.n - cols.first} : Part{0, end_of(cols)};
    }
    /// The same without the square.
    Part rest_of(const Part& col) const {
        return lower() ? Part{end_of(col), p_.n - end_of(col)} : Part{0, col.first};
    }
    TileId c_tile(const Part& rows, const Part& cols) {
        return builder_.tile(stored_tile(operand::C, Op::NoTrans, rows, cols));
    }
    Tile first(OperandId operand, const Part& rows, const Part& k) const {
        return rank_first(p_, operand, rows, k);
    }
    Tile second(OperandId operand, const Part& k, const Part& cols) const {
        return rank_second(p_, operand, k, cols);
    }
    Ref input(const Worker& w, const Tile& block, std::size_t l) {
        return {builder_.tile(block), w.place[at(block.operand)][std::min(l, outer_)]};
    }

    // --- bringing -------------------------------------------------------------------------------

    void share(const Tile& tile, std::size_t l, const auto& needs) {
        std::vector<Landing> all;
        for (Worker& w : workers_)
            if (!lives(tile.operand, w.memory) && needs(w))
                all.push_back({w.memory, w.place[at(tile.operand)][std::min(l, outer_)], &w.ready});
        if (!all.empty()) passing_.share(builder_.tile(tile), all);
    }

    /// All that a part of k needs of A and B.
    void bring_part(std::size_t l) {
        const Part& k = ks_[l];
        for (const Part& rows : rows_) {
            const auto needs = [&](const Worker& w) {
                const Part mine = rows_of(w.mine);
                return mine.first < end_of(rows) && rows.first < end_of(mine);
            };
            share(first(operand::A, rows, k), l, needs);
            if (is_rank_2(p_.routine)) share(first(operand::B, rows, k), l, needs);
        }
        if (p_.routine != Routine::gemmt) return;
        for (const Part& cols : rows_)
            share(second(operand::B, k, cols), l,
                  [&](const Worker& w) { return rows_.size() == 1 || w.mine.first == cols.first; });
    }

    // --- computing ------------------------------------------------------------------------------

    /// What the first product of a sum keeps, and when that is there.
    Keep begin(const Worker& w, const Ref& sum, bool late, double& ready) {
        if (!reads_c() || late) return Keep::zero;
        ready = std::max(ready, bring(sum.tile, w.sums));
        return Keep::old;
    }

    double compute(const Worker& w, const Ref& out, Keep keep, const Ref& a, const Ref& b,
                   double ready) {
        return timed_.compute(compute_step(plan_, p_, w.queue, out, keep, a, b), ready);
    }

    /// A part of k of what lies below a square, or above it; returns when it is done.
    double add_rest(const Worker& w, const Part& col, std::size_t l) {
        const Part rows = rest_of(col), k = part(l);
        if (rows.count == 0) return 0;
        const Ref out{c_tile(rows, col), w.sums};
        const OperandId other = has_b(p_.routine) ? operand::B : operand::A;
        double ready = w.ready;
        const Keep keep = l == 0 ? begin(w, out, is_late(w), ready) : Keep::sum;
        const double done = compute(w, out, keep, input(w, first(operand::A, rows, k), l),
                                    input(w, second(other, k, col), l), ready);
        if (!is_rank_2(p_.routine)) return done;
        return compute(w, out, Keep::sum, input(w, first(operand::B, rows, k), l),
                       input(w, second(operand::A, k, col), l), done);
    }

    /// The same of a square. C is not added to it: a hermitian one has a real diagonal.
    double add_square(const Worker& w, const Part& col, std::size_t l) {
        const Part k = part(l);
        const Ref out{c_tile(col, col), w.sums};
        double ready = w.ready;
        const Keep keep = l == 0 ? begin(w, out, false, ready) : Keep::sum;
        Ref other;
        if (p_.routine == Routine::gemmt)
            other = input(w, second(operand::B, k, col), l);
        else if (has_b(p_.routine))
            other = input(w, first(operand::B, col, k), l);
        return compute(w, out, keep, input(w, first(operand::A, col, k), l), other, ready);
    }

    void add_part(const Worker& w, Column& col, std::size_t l) {
        col.rest = add_rest(w, col.part, l);
        col.square = add_square(w, col.part, l);
    }

    /// What is left of k in one product, and the way home.
    void finish(const Worker& w, Column& col) {
        if (outer_ < ks_.size()) add_part(w, col, outer_);
        const Part rows = rest_of(col.part);
        if (rows.count > 0) {
            const Ref sum{c_tile(rows, col.part), w.sums};
            timed_.write(sum, is_late(w) ? add_old(w, sum, col.rest) : col.rest);
        }
        timed_.write({c_tile(col.part, col.part), w.sums}, col.square);
    }

    /// Returns when it is added.
    double add_old(const Worker& w, const Ref& sum, double ready) {
        const Ref old{sum.tile, w.old};
        if (w.old != Ref::home) ready = std::max(ready, bring(sum.tile, w.old));
        return timed_.beside(add_step(plan_, w.beside, sum, Keep::old, old), ready);
    }

    const std::vector<Part> ks_;
    const std::size_t outer_;  ///< so many of them go over all of C
    std::vector<Worker> workers_;
    std::vector<Part> rows_;  // of A, and of B, that come together
};

}  // namespace

void plan_shared_triangle(Draft& plan, const Policy& policy, const Choice& choice) {
    SharedTriangle(plan, policy, choice).make();
}

}  // namespace gemmill
