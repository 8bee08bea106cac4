// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planner/shape/shared/planner.hpp"
#include "task/instruct.hpp"

namespace gemmill {
namespace {

/// Lines while they are made.
struct Line {
    Part part;
    bool whole = false;  ///< C comes and goes in one piece, not block by block
    double ready = 0;    ///< when the next block can be made
    double behind = 0;   ///< when those behind it have all that went into them beside that
};

/// trmm and trsm: each block goes into those behind it when it is there, or solved.
class InPlace : SharedLines {
  public:
    InPlace(Draft& plan, const Policy& policy, const Choice& choice)
        : SharedLines(plan, policy, choice, goes_forward(plan.problem)) {}

    void make() {
        std::vector<LineWorker> workers = deal();
        std::vector<Line> fronts;
        std::size_t most = 0;
        for (LineWorker& w : workers) {
            prepare(w);
            fronts.push_back({w.front});
            most = std::max(most, w.rest.size());
        }
        for (std::size_t l = 0; l < along_.size(); ++l) {
            bring_panel(workers, l, a_block(from(along_[l]), along_[l]));
            for (std::size_t i = 0; i < workers.size(); ++i)
                if (fronts[i].part.count > 0) go_on(workers[i], fronts[i], l);
        }
        for (std::size_t i = 0; i < most; ++i)
            for (const LineWorker& w : workers)
                if (i < w.rest.size()) make_line(w, w.rest[i]);
        timed_.issue();
    }

  private:
    bool multiplies() const { return p_.routine == Routine::trmm; }

    void prepare(LineWorker& w) {
        w.queue = builder_.compute_queue(w.device, 0);
        w.beside = multiplies() ? w.queue : builder_.urgent_queue(w.device);
        for (const Part& k : along_) w.panels.push_back(hold(w.memory, a_block(from(k), k)));
        w.made = keep(w.memory, line_block(operand::C, all(), w.mine));
        const Part& apart = multiplies() ? w.mine : w.front;
        if (apart.count > 0) w.old = keep(w.memory, line_block(operand::C, all(), apart));
    }

    // --- blocks ---------------------------------------------------------------------------------

    /// A block and all that it goes into.
    Part from(const Part& k) const {
        return goes_forward(p_) ? Part{k.first, p_.k - k.first} : Part{0, end_of(k)};
    }
    TileId c_tile(const Part& along, const Part& line) {
        return line_tile(operand::C, along, line);
    }
    /// op(A) from a block to others, as it is stored.
    Tile a_block(const Part& to, const Part& k) const {
        return stored_tile(operand::A, p_.op_a, left() ? to : k, left() ? k : to);
    }
    /// The same from block l, on a device.
    Ref a_ref(const LineWorker& w, const Part& to, std::size_t l) {
        return {builder_.tile(a_block(to, along_[l])), w.panels[l]};
    }

    // --- steps ----------------------------------------------------------------------------------

    Step product(QueueId queue, const Ref& out, Keep keep, const Ref& a, const Ref& c) const {
        return compute_step(plan_, p_, queue, out, keep, left() ? a : c, left() ? c : a);
    }

    void go_on(const LineWorker& w, Line& line, std::size_t l) {
        if (multiplies())
            multiply(w, line, l);
        else
            solve(w, line, l);
    }

    void make_line(const LineWorker& w, const Part& part) {
        const TileId c = c_tile(all(), part);
        Line line{part, true, std::max(w.ready, bring(c, multiplies() ? w.old : w.made))};
        for (std::size_t l = 0; l < along_.size(); ++l) go_on(w, line, l);
        timed_.write({c, w.made}, line.ready);
    }

    /// A block of trmm goes into those behind it; its own square comes last.
    void multiply(const LineWorker& w, Line& line, std::size_t l) {
        const Part& k = along_[l];
        const Ref block{c_tile(k, line.part), w.old}, out{block.tile, w.made};
        double ready = std::max(w.ready, line.ready);
        if (!line.whole) ready = std::max(ready, bring(block.tile, w.old));
        const Keep keep = l > 0 ? Keep::sum : Keep::zero;
        if (l + 1 < along_.size()) {
            const Part behind = span_of(l + 1, along_.size());
            timed_.compute(product(w.queue, {c_tile(behind, line.part), w.made}, keep,
                                   a_ref(w, behind, l), block),
                           ready);
        }
        line.ready = timed_.compute(product(w.queue, out, keep, a_ref(w, k, l), block), ready);
        if (!line.whole) timed_.write(out, line.ready);
    }

    /// A block of trsm is solved beside the products, as soon as the one before has gone into it,
    /// which is done before it goes into the others.
    void solve(const LineWorker& w, Line& line, std::size_t l) {
        const Part& k = along_[l];
        const Ref block{c_tile(k, line.part), w.made};
        double ready = std::max(w.ready, line.ready);
        if (!line.whole) ready = std::max(ready, bring_block(w, block, l, ready));
        const double solved =
            timed_.beside(compute_step(plan_, p_, w.beside, block, l == 0 ? Keep::old : Keep::sum,
                                       a_ref(w, k, l)),
                          ready);
        if (!line.whole) timed_.write(block, solved);
        const Keep first = line.whole ? Keep::old : Keep::zero, keep = l == 0 ? first : Keep::sum;
        const auto pass_on = [&](QueueId queue, const Part& behind) {
            return product(queue, {c_tile(behind, line.part), w.made}, keep, a_ref(w, behind, l),
                           block);
        };
        line.ready = solved;
        if (l + 1 < along_.size())
            line.ready =
                timed_.beside(pass_on(w.beside, along_[l + 1]), std::max(solved, line.behind));
        if (l + 2 < along_.size())
            line.behind = timed_.compute(pass_on(w.queue, span_of(l + 2, along_.size())), solved);
    }

    /// The user's block to what went into it; returns when it is there.
    double bring_block(const LineWorker& w, const Ref& block, std::size_t l, double ready) {
        if (l == 0) return bring(block.tile, w.made);
        const Ref old{block.tile, w.old};
        const double there = std::max(ready, bring(old.tile, w.old));
        return timed_.beside(add_step(plan_, w.beside, block, Keep::old, old), there);
    }
};

}  // namespace

void plan_shared_in_place(Draft& plan, const Policy& policy, const Choice& choice) {
    InPlace(plan, policy, choice).make();
}

}  // namespace gemmill
