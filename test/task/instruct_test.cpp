// SPDX-License-Identifier: Apache-2.0
// Products of tiles as instructions: tile by tile each routine becomes a plan that is valid and
// right, of all opcodes that compute.
#include "task/instruct.hpp"

#include <gtest/gtest.h>

#include <set>

#include "plan/build/builder.hpp"
#include "support/any_order.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

/// A plan for one device in whose memory all operands are at home: sums grow in buffers, all else
/// is read where it is, and at the end everything is written.
class TileByTile {
  public:
    TileByTile(const Problem& p, index_t tile, bool in_place)
        : p_(p), tile_(tile), in_place_(in_place), builder_(start()) {}

    Plan make() {
        queue_ = builder_.compute_queue(0, 0);
        for (const Span& j : ordered(p_.n, Side::Right))
            for (const Span& i : ordered(p_.m, Side::Left))
                if (place_of(target_of(plan_).triangle, block(operand::C, i, j)) != Place::beyond)
                    make_tile(i, j);
        // Products of trmm read the old C at home until the last one has ended.
        const auto last = static_cast<StepId>(plan_.steps.size()) - 1;
        for (const Ref& sum : sums_) {
            builder_.also_wait(last);
            builder_.move(Opcode::write, sum, {sum.tile, Ref::home});
        }
        return plan_;
    }

  private:
    Plan& start() {
        plan_.machine = synthetic_machine("gpu:1(mem=1MB,d=1T)");
        plan_.devices = {0};
        plan_.limit = {0, 1 << 16};
        describe(p_, plan_);
        return plan_;
    }

    std::vector<Span> parts(index_t size) const {
        std::vector<Span> list;
        for (index_t at = 0; at < size; at += tile_)
            list.push_back({at, std::min(tile_, size - at)});
        return list;
    }
    /// What is solved first comes first.
    std::vector<Span> ordered(index_t size, Side along) const {
        std::vector<Span> list = parts(size);
        if (p_.side == along && !goes_forward(p_)) std::ranges::reverse(list);
        return list;
    }
    static Tile block(OperandId operand, const Span& rows, const Span& cols) {
        return {operand, rows.first, cols.first, rows.count, cols.count};
    }
    /// The stored tile of op(X) at these rows and columns.
    Ref stored(OperandId operand, Op op, const Span& rows, const Span& cols) {
        const Tile tile =
            op == Op::NoTrans ? block(operand, rows, cols) : block(operand, cols, rows);
        return {builder_.tile(tile), Ref::home};
    }

    void make_tile(const Span& i, const Span& j) {
        const TileId tile = builder_.tile(block(operand::C, i, j));
        out_ = {tile, builder_.keep(1, tile)};
        keep_ = Keep::zero;
        if (is_read(plan_.goal, operand::C) && (plan_.goal.keep != Scale::zero || in_place_)) {
            builder_.move(Opcode::fetch, {tile, Ref::home}, out_);
            keep_ = Keep::old;
        }
        if (plan_.goal.terms.empty())
            compute({}, {});
        else if (is_in_place(p_.routine))
            triangular(i, j);
        else
            for (const Span& l : parts(p_.k)) products(i, j, l);
        sums_.push_back(out_);
    }

    void compute(const Ref& first, const Ref& second) {
        builder_.emit(compute_step(plan_, p_, queue_, out_, keep_, first, second));
        keep_ = Keep::sum;
    }

    void products(const Span& i, const Span& j, const Span& l) {
        using namespace operand;
        if (mirrors(p_.routine)) return symmetric(i, j, l);
        const Ref a = stored(A, p_.op_a, i, l);
        if (p_.routine == Routine::gemm || p_.routine == Routine::gemmt)
            return compute(a, stored(B, p_.op_b, l, j));
        if (!is_rank_2(p_.routine)) return compute(a, i == j ? Ref{} : stored(A, p_.op_a, j, l));
        compute(a, stored(B, p_.op_a, j, l));
        if (i != j) compute(stored(B, p_.op_a, i, l), stored(A, p_.op_a, j, l));
    }

    void symmetric(const Span& i, const Span& j, const Span& l) {
        const bool left = p_.side == Side::Left;
        Tile a = left ? block(operand::A, i, l) : block(operand::A, l, j);
        if (place_of(triangle_of(p_.uplo), a) == Place::beyond) a = image_of(a);
        const Ref half{builder_.tile(a), Ref::home};
        const Ref b = stored(operand::B, Op::NoTrans, left ? l : i, left ? j : l);
        compute(left ? half : b, left ? b : half);
    }

    /// Of what lies before it, or behind, and then the square; that of trmm in place comes first.
    void triangular(const Span& i, const Span& j) {
        const bool left = p_.side == Side::Left;
        const Span own = left ? i : j;
        const bool alone = p_.routine == Routine::trsm || in_place_;
        const Ref square = stored(operand::A, p_.op_a, own, own);
        if (p_.routine == Routine::trmm && alone) {
            keep_ = Keep::zero;
            compute(square, {});
        }
        for (const Span& l : parts(p_.k)) {
            if (l == own || (l.first < own.first) != goes_forward(p_)) continue;
            const Ref c = factor(left ? l : i, left ? j : l);
            if (left)
                compute(stored(operand::A, p_.op_a, i, l), c);
            else
                compute(c, stored(operand::A, p_.op_a, l, j));
        }
        if (p_.routine == Routine::trsm) return compute(square, {});
        if (alone) return;
        const Ref c = factor(i, j);
        compute(left ? square : c, left ? c : square);
    }

    /// The old C, or where it is solved for the new one.
    Ref factor(const Span& i, const Span& j) {
        const TileId tile = builder_.tile(block(operand::C, i, j));
        if (p_.routine == Routine::trmm) return {tile, Ref::home};
        return *std::ranges::find(sums_, tile, &Ref::tile);
    }

    const Problem p_;
    const index_t tile_;
    const bool in_place_;
    Plan plan_;
    Builder builder_;
    QueueId queue_ = -1;
    Ref out_;
    Keep keep_ = Keep::zero;
    std::vector<Ref> sums_;
};

TEST(Instruct, every_routine_tile_by_tile_is_valid_and_right) {
    Random random(1);
    std::set<Opcode> seen;
    for (int i = 0; i < affordable(600); ++i) {
        const Routine routine = random.chance(10) ? Routine::gemm : random.pick(level3_routines);
        Problem p = random_level3(random, routine, 9);
        p.home = {1, 1, 1};
        const Plan plan = TileByTile(p, random.between(1, 9), random.chance(50)).make();
        ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n"
                                            << describe(p) << "\n"
                                            << to_text(plan);
        Level3Operands x(p, random);
        ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
        ASSERT_TRUE(parse_plan(to_text(plan)) == plan) << to_text(plan);
        for (const Step& step : plan.steps) seen.insert(step.op);
    }
    for (int op = static_cast<int>(Opcode::gemm); op <= static_cast<int>(Opcode::scale); ++op)
        EXPECT_TRUE(seen.contains(static_cast<Opcode>(op))) << name_of(static_cast<Opcode>(op));
}

}  // namespace
}  // namespace gemmill::test
