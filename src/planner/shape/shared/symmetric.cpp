// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "planner/shape/shared/planner.hpp"
#include "task/instruct.hpp"

namespace gemmill {
namespace {

/// symm and hemm: what is stored of a panel of A is multiplied on both sides of the diagonal. It
/// ends with the panels before it, so that of B no more is needed than came with those.
class Symmetric : SharedLines {
  public:
    Symmetric(Draft& plan, const Policy& policy, const Choice& choice)
        : SharedLines(plan, policy, choice, plan.problem.uplo == Uplo::Upper) {}

    void make() {
        std::vector<LineWorker> workers = deal();
        std::size_t most = 0;
        for (LineWorker& w : workers) {
            prepare(w);
            most = std::max(most, w.rest.size());
        }
        std::vector<double> ends(workers.size());
        for (std::size_t l = 0; l < along_.size(); ++l) {
            bring_panel(workers, l, panel_of(l));
            for (std::size_t i = 0; i < workers.size(); ++i)
                if (workers[i].front.count > 0) ends[i] = add_panel(workers[i], l);
        }
        for (std::size_t i = 0; i < workers.size(); ++i) finish(workers[i], ends[i]);
        for (std::size_t i = 0; i < most; ++i)
            for (const LineWorker& w : workers)
                if (i < w.rest.size()) make_line(w, w.rest[i]);
        timed_.issue();
    }

  private:
    bool is_late(const LineWorker& w) const {
        return reads_c() && (choice_.late || lives(operand::C, w.memory));
    }

    void prepare(LineWorker& w) {
        w.queue = builder_.compute_queue(w.device, 0);
        if (is_late(w)) w.beside = builder_.urgent_queue(w.device);
        for (std::size_t l = 0; l < along_.size(); ++l)
            w.panels.push_back(hold(w.memory, panel_of(l)));
        w.b = hold(w.memory, line_block(operand::B, all(), w.mine));
        w.made = keep(w.memory, line_block(operand::C, all(), w.mine));
        if (is_late(w) && w.front.count > 0)
            w.old = hold(w.memory, line_block(operand::C, all(), w.front));
    }

    // --- blocks ---------------------------------------------------------------------------------

    static Tile stored(const Part& rows, const Part& cols) {
        return stored_tile(operand::A, Op::NoTrans, rows, cols);
    }
    /// Block l and all before it.
    Tile panel_of(std::size_t l) const { return stored(span_of(0, l + 1), along_[l]); }

    // --- steps ----------------------------------------------------------------------------------

    double compute(const LineWorker& w, const Part& out, const Part& line, Keep keep, const Ref& a,
                   const Part& in, double ready) {
        const Ref sum{line_tile(operand::C, out, line), w.made};
        const Ref b{line_tile(operand::B, in, line), w.b};
        return timed_.compute(
            compute_step(plan_, p_, w.queue, sum, keep, left() ? a : b, left() ? b : a), ready);
    }

    /// Products of panel l with a line, whose first one keeps so much; returns when they are done.
    double multiply(const LineWorker& w, const Part& line, std::size_t l, Keep first,
                    double ready) {
        const Part& k = along_[l];
        const auto a = [&](const Part& rows) {
            return Ref{builder_.tile(stored(rows, k)), w.panels[l]};
        };
        double end = compute(w, k, line, first, a(k), k, ready);
        if (l == 0) return end;
        const Part before = span_of(0, l);
        end = compute(w, k, line, Keep::sum, a(before), before, ready);
        return compute(w, before, line, Keep::sum, a(before), k, end);
    }

    /// A panel and the front, whose part of B comes with it.
    double add_panel(const LineWorker& w, std::size_t l) {
        double ready = w.ready;
        const Part& k = along_[l];
        if (w.b != Ref::home)
            ready = std::max(ready, bring(line_tile(operand::B, k, w.front), w.b));
        Keep keep = Keep::zero;
        if (reads_c() && !is_late(w)) {
            keep = Keep::old;
            ready = std::max(ready, bring(line_tile(operand::C, k, w.front), w.made));
        }
        return multiply(w, w.front, l, keep, ready);
    }

    /// Adds the user's C to the front where it comes late, and writes it, part by part.
    void finish(const LineWorker& w, double ready) {
        for (Part part : cut_lines(w.front.count, choice_.cut.other, 0)) {
            part.first += w.front.first;
            const Ref sum{line_tile(operand::C, all(), part), w.made};
            timed_.write(sum, is_late(w) ? add_old(w, sum, ready) : ready);
        }
    }

    /// Returns when it is added.
    double add_old(const LineWorker& w, const Ref& sum, double ready) {
        const Ref old{sum.tile, w.old};
        if (w.old != Ref::home) ready = std::max(ready, bring(sum.tile, w.old));
        return timed_.beside(add_step(plan_, w.beside, sum, Keep::old, old), ready);
    }

    void make_line(const LineWorker& w, const Part& line) {
        const Ref sum{line_tile(operand::C, all(), line), w.made};
        const bool here = lives(operand::C, w.memory);
        double ready = w.ready;
        if (w.b != Ref::home)
            ready = std::max(ready, bring(line_tile(operand::B, all(), line), w.b));
        if (reads_c() && !here) ready = std::max(ready, bring(sum.tile, w.made));
        const Keep keep = reads_c() && !here ? Keep::old : Keep::zero;
        for (std::size_t l = 0; l < along_.size(); ++l) ready = multiply(w, line, l, keep, ready);
        timed_.write(sum, reads_c() && here ? add_old(w, sum, ready) : ready);
    }
};

}  // namespace

void plan_shared_symmetric(Draft& plan, const Policy& policy, const Choice& choice) {
    Symmetric(plan, policy, choice).make();
}

}  // namespace gemmill
