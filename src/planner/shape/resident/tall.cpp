// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/tall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gemmill/error.hpp"
#include "planner/shape/resident/mirrored.hpp"
#include "planner/shape/seats.hpp"
#include "planner/shape/streamed/lines.hpp"
#include "planner/split/parts.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

void check_links(const Draft& plan, MemoryId memory) {
    const Problem& p = plan.problem;
    const auto linked = [&](MemoryId from, MemoryId to) {
        return find_link(plan.machine, from, to) >= 0;
    };
    bool all = linked(memory, p.home[2]);
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        if (is_read(p, operand))
            all = all && linked(p.home[static_cast<std::size_t>(operand)], memory);
    require(all, Code::no_device, "direct links",
            fmt::format("machine {} has not all links", plan.machine.name));
}

class TallPlanner : OneDevicePlanner {
  public:
    TallPlanner(Draft& plan, const Choice& choice) : OneDevicePlanner(plan, choice) {}

    void make() {
        const std::vector<Part> ks = cut_from_small(p_.k, choice_.cut.other, choice_.cut.taper);
        std::vector<Part> cols = cut_equally({0, p_.n}, choice_.cut.edge);
        // The shortest column comes last.
        if (p_.uplo == Uplo::Upper) std::ranges::reverse(cols);
        hold_inputs();
        hold_sums(ks.size());
        const index_t outer = parts_within(ks, choice_.outer);
        for (index_t l = 0; l < outer; ++l)
            for (const Part& col : cols) add_rest(col, ks[at(l)]);
        for (const Part& col : cols) {
            for (const Part& k : rest_of(ks, outer, col == cols.front())) add_rest(col, k);
            if (rest_of(col).count > 0) finish({c_tile(rest_of(col), col), sums_});
            make_square(col);
        }
    }

  private:
    // --- places ---------------------------------------------------------------------------------

    bool reads_c() const { return is_read(p_, operand::C); }

    BufferId hold(OperandId operand) {
        const Shape shape = stored_shape(p_, operand);
        return builder_.keep(memory_, builder_.tile({operand, 0, 0, shape.rows, shape.cols}));
    }
    /// A and B where they live, or a place for them.
    void hold_inputs() {
        for (const OperandId operand : {operand::A, operand::B})
            if (is_read(p_, operand) && !local(operand)) place_[at(operand)] = hold(operand);
    }

    Ref input(const Tile& block) { return {builder_.tile(block), place_[at(block.operand)]}; }

    /// Brings a block of A or B where it has not come, alone or in parts.
    void bring(const Tile& block) {
        const Ref to = input(block);
        const auto has = [&](const Tile& came) {
            return contains(came, block) || contains(block, came);
        };
        if (to.buffer == Ref::home || std::ranges::any_of(brought_, has)) return;
        brought_.push_back(block);
        fetch(to);
    }

    // --- steps ----------------------------------------------------------------------------------

    void compute(const Ref& out, Keep keep, const Ref& first, const Ref& second = {}) {
        builder_.emit(compute_step(plan_, p_, queue_, out, keep, first, second));
    }

    void add(const Ref& out, Keep keep, const Ref& in) {
        builder_.emit(add_step(plan_, queue_, out, keep, in));
    }

    /// The user's block of C in a buffer.
    Ref fetch_c(TileId c, BufferId into) {
        fetch({c, into});
        return {c, into};
    }

    /// Adds the user's block of C to its sum and sends it home.
    void finish(const Ref& sum) {
        if (sum.buffer == Ref::home) return;
        if (late_)
            add(sum, Keep::old,
                local(operand::C) ? Ref{sum.tile, Ref::home} : fetch_c(sum.tile, raw_));
        write(sum);
    }

    /// Of a sum that is added up here: from nothing where C comes late, else from beta C.
    Keep first_keep() const { return reads_c() && !late_ ? Keep::old : Keep::zero; }

    /// What the next product keeps of a sum. Its first one finds the user's C there, where it does
    /// not come late.
    Keep begin_sum(const Ref& sum) {
        if (!begun_.insert(sum.tile).second) return Keep::sum;
        if (first_keep() == Keep::old && sums_ != Ref::home) fetch_c(sum.tile, sums_);
        return first_keep();
    }

    /// Sums grow in a buffer, or where C lives when one step makes them.
    void hold_sums(std::size_t parts) {
        const bool at_home = local(operand::C) && parts == 1 && !is_rank_2(p_.routine);
        late_ = reads_c() && !at_home && (choice_.late || local(operand::C));
        sums_ = at_home ? Ref::home : hold(operand::C);
        if (late_ && !local(operand::C)) raw_ = hold(operand::C);
    }

    // --- parts ----------------------------------------------------------------------------------

    /// Parts of k from `outer` on: who comes first waits for one after the other, and then all are
    /// there and make one product.
    std::vector<Part> rest_of(const std::vector<Part>& ks, index_t outer, bool first) const {
        std::vector<Part> rest(ks.begin() + outer, ks.end());
        if (first || rest.empty()) return rest;
        const index_t begin = rest.front().first;
        return {{begin, p_.k - begin}};
    }

    Part rest_of(const Part& col) const {
        if (p_.uplo == Uplo::Upper) return {0, col.first};
        return {end_of(col), p_.n - end_of(col)};
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

    /// All that a part of k needs of A and B.
    void bring_part(const Part& k) {
        const Part all{0, p_.n};
        bring(first(operand::A, all, k));
        if (p_.routine == Routine::gemmt)
            bring(second(operand::B, k, all));
        else if (has_b(p_.routine))
            bring(first(operand::B, all, k));
    }

    /// A part of k of what lies below a square, or above it.
    void add_rest(const Part& col, const Part& k) {
        const Part rows = rest_of(col);
        bring_part(k);
        if (rows.count == 0) return;
        const Ref out{c_tile(rows, col), sums_};
        const Keep keep = begin_sum(out);
        const OperandId other = has_b(p_.routine) ? operand::B : operand::A;
        compute(out, keep, input(first(operand::A, rows, k)), input(second(other, k, col)));
        if (!is_rank_2(p_.routine)) return;
        compute(out, Keep::sum, input(first(operand::B, rows, k)),
                input(second(operand::A, k, col)));
    }

    /// The square of a column, in one step, as all has come by then. C is not added to it: a
    /// hermitian one has a real diagonal.
    void make_square(const Part& col) {
        const Ref out{c_tile(col, col), sums_};
        const Part all{0, p_.k};
        if (reads_c() && sums_ != Ref::home) fetch_c(out.tile, sums_);
        Ref other;
        if (p_.routine == Routine::gemmt)
            other = input(second(operand::B, all, col));
        else if (has_b(p_.routine))
            other = input(first(operand::B, col, all));
        compute(out, reads_c() ? Keep::old : Keep::zero, input(first(operand::A, col, all)), other);
        if (sums_ != Ref::home) write(out);
    }

    std::array<BufferId, 2> place_{Ref::home, Ref::home};  // of A and B
    BufferId sums_ = Ref::home;
    BufferId raw_ = Ref::home;   // the user's C, for a time
    bool late_ = false;          // C is added to finished sums
    std::vector<Tile> brought_;  // of A and B
    std::set<TileId> begun_;     // sums
};

}  // namespace

void plan_tall(Draft& plan, const Choice& choice) {
    check_links(plan, device_memory(plan.machine, choice.devices.front()));
    if (is_in_place(plan.problem.routine)) return plan_lines(plan, choice);
    if (mirrors(plan.problem.routine)) return plan_mirrored(plan, choice);
    TallPlanner(plan, choice).make();
}

}  // namespace gemmill
