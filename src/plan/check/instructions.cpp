// SPDX-License-Identifier: Apache-2.0
// Each step for itself: fields that its opcode takes, tiles that fit together, a part of the goal.
#include <fmt/format.h>

#include "machine/reach.hpp"
#include "plan/access.hpp"
#include "plan/check/faults.hpp"
#include "plan/check/match.hpp"

namespace gemmill {
namespace {

/// A kernel of an opcode that a square at a diagonal needs.
bool is_own(Opcode op) { return makes_triangle(op) || takes_triangle(op) || op == Opcode::mirror; }

class Instructions {
  public:
    Instructions(const Plan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(i);
    }

  private:
    template <class... Args>
    void fault(fmt::format_string<Args...> text, Args&&... args) {
        faults_.add(fmt::format(text, std::forward<Args>(args)...));
    }

    const Tile& tile(const Ref& ref) const { return tile_of(plan_, ref); }

    void check_step(std::size_t i) {
        const Step& s = plan_.steps[i];
        const Queue& queue = plan_.queues[static_cast<std::size_t>(s.queue)];
        if (moves(s) != (queue.kind == QueueKind::transfer))
            return fault("step {}: a {} on a queue of the other kind", i, name_of(s.op));
        if (s.pieces < 1 || s.piece >= s.pieces || (s.op != Opcode::fetch && s.pieces != 1))
            fault("step {}: piece {} of {}", i, s.piece, s.pieces);
        check_fields(i, s);
        if (moves(s))
            check_move(i, s, plan_.machine.links[static_cast<std::size_t>(queue.index)]);
        else
            check_kernel(i, s, plan_.machine.devices[static_cast<std::size_t>(queue.index)].memory);
    }

    /// A field that the opcode does not take would be a misunderstanding.
    void check_fields(std::size_t i, const Step& s) {
        const OpInfo& info = info_of(s.op);
        const Step plain;
        const bool good =
            (info.weight || s.weight == plain.weight) && (info.keep || s.keep == plain.keep) &&
            (info.op_a || s.op_a == plain.op_a) && (info.op_b || s.op_b == plain.op_b) &&
            (info.side || s.side == plain.side) &&
            (info.triangle || s.triangle == plain.triangle) && (info.diag || s.diag == plain.diag);
        if (!good) fault("step {}: {} does not take all that it is told", i, info.name);
        if (!is_own(s.op)) return;
        if (s.triangle == Triangle::none) fault("step {}: {} of which triangle?", i, info.name);
        if (is_short(operand_of(plan_, tile(s.out)).type))
            fault("step {}: there is no {} of 16-bit types", i, info.name);
    }

    void check_move(std::size_t i, const Step& s, const Link& link) {
        if (s.in[0].tile != s.out.tile) fault("step {}: moves one tile into another", i);
        if (memory_of(plan_, s.in[0]) != link.from || memory_of(plan_, s.out) != link.to)
            fault("step {}: its link does not join its memories", i);
        if (s.op == Opcode::fetch && s.out.buffer == Ref::home)
            fault("step {}: a fetch into the user's memory", i);
        if (s.op == Opcode::write && (s.out.buffer != Ref::home || s.in[0].buffer == Ref::home ||
                                      !is_target(plan_, tile(s.out))))
            fault("step {}: a write goes from a buffer to the target", i);
        if (place_of(operand_of(plan_, tile(s.out)).triangle, tile(s.out)) == Place::beyond)
            fault("step {}: moves a tile of the triangle that is not used", i);
        if (s.op == Opcode::write) check_out(i, s);
        if (s.op == Opcode::fetch && s.in[0].buffer == Ref::home &&
            !is_read(plan_.goal, tile(s.out).operand))
            fault("step {}: fetches an operand that must not be read", i);
    }

    void check_kernel(std::size_t i, const Step& s, MemoryId memory) {
        for (const Ref& ref : {s.out, s.in[0], s.in[1]})
            if (ref.tile >= 0 && !reaches(plan_.machine, memory, memory_of(plan_, ref)))
                fault("step {}: tile {} is not in the device's memory", i, ref.tile);
        if (s.op == Opcode::mirror) return check_mirror(i, s);
        if (!is_target(plan_, tile(s.out)))
            return fault("step {}: computes something else than the target", i);
        check_out(i, s);
        check_apart(i, s);
        if (s.op == Opcode::add)
            check_add(i, s);
        else if (s.op == Opcode::trsm)
            check_solve(i, s);
        else if (s.op != Opcode::scale)
            check_products(i, s);
    }

    /// No kernel reads an input where it writes.
    void check_apart(std::size_t i, const Step& s) {
        for (const Ref& in : s.in)
            if (in.tile >= 0 && in.buffer == s.out.buffer && overlap(tile(in), tile(s.out)))
                fault("step {}: reads what it adds to", i);
    }

    void check_add(std::size_t i, const Step& s) {
        if (s.in[0].tile != s.out.tile || s.in[0].buffer == s.out.buffer ||
            s.weight == Scale::zero || s.out.buffer == Ref::home)
            fault("step {}: an add takes two places of one tile", i);
    }

    void check_mirror(std::size_t i, const Step& s) {
        const Tile &from = tile(s.in[0]), &to = tile(s.out);
        const Operand& of = operand_of(plan_, to);
        if ((of.structure != Structure::symmetric && of.structure != Structure::hermitian) ||
            from != image_of(to) || s.out.buffer == Ref::home || s.in[0].buffer != s.out.buffer ||
            s.triangle != of.triangle)
            fault("step {}: a mirror takes two tiles of one operand in one buffer", i);
        else if (!at_diagonal(to) && !off_diagonal(of.triangle, from))
            fault("step {}: mirrors what is not stored", i);
    }

    /// Squares at the diagonal of a target of which one triangle is made are kept to it, and
    /// nothing else needs to be.
    void check_out(std::size_t i, const Step& s) {
        const Triangle wanted = target_of(plan_).triangle;
        const bool square = at_diagonal(tile(s.out));
        const bool whole = wanted == Triangle::none || off_diagonal(wanted, tile(s.out));
        if (!whole && (!square || s.op == Opcode::add))
            return fault("step {}: goes beyond the triangle of the target", i);
        const bool limits = s.op == Opcode::write || s.op == Opcode::scale || makes_triangle(s.op);
        const Triangle meant = limits ? s.triangle : Triangle::none;
        if (meant != (whole ? Triangle::none : wanted))
            fault("step {}: does not keep to the triangle of the target", i);
        if (makes_triangle(s.op)) check_diagonal(i, s);
    }

    /// A diagonal is made real where the target is hermitian, and nowhere else. A rank update
    /// transposes as its second factor does.
    void check_diagonal(std::size_t i, const Step& s) {
        const Operand& target = target_of(plan_);
        if (!is_complex(target.type)) return;
        const bool real = s.op == Opcode::herk || s.op == Opcode::her2k;
        if (real != (target.structure == Structure::hermitian))
            fault("step {}: {} of a target that is {}hermitian", i, name_of(s.op),
                  real ? "not " : "");
        if (s.op != Opcode::gemmt && s.op_a == (real ? Op::Trans : Op::ConjTrans))
            fault("step {}: {} of a factor that is transposed so", i, name_of(s.op));
    }

    void check_solve(std::size_t i, const Step& s) {
        const Triangular of = triangular_of(plan_);
        if (!plan_.goal.solves || s.weight == Scale::zero)
            return fault("step {}: solves for what is not asked", i);
        if (!is_square_of(of, s, s.in[0])) fault("step {}: {}", i, misfit);
    }

    /// Whether a triangular step takes a square of the goal's triangular operand, as it is stored.
    bool is_square_of(const Triangular& of, const Step& s, const Ref& a) const {
        if (of.operand < 0 || tile(a).operand != of.operand || !at_diagonal(tile(a))) return false;
        const Operand& operand = operand_of(plan_, of.operand);
        const Diag diag = operand.structure == Structure::unit ? Diag::Unit : Diag::NonUnit;
        const Span along = of.left ? rows_of(tile(s.out)) : cols_of(tile(s.out));
        return rows_of(tile(a)) == along && s.op_a == of.op && s.triangle == operand.triangle &&
               s.diag == diag && (s.side == Side::Left) == of.left;
    }

    static constexpr const char* misfit = "its tiles do not fit together";

    void check_products(std::size_t i, const Step& s) {
        for (const Product& p : products_of(s)) {
            if (find_term(plan_, p) < 0) return fault("step {}: is no part of the goal", i);
            if (!fits(s, p)) return fault("step {}: {}", i, misfit);
        }
        if (s.op == Opcode::trmm)
            check_trmm(i, s);
        else if (s.op == Opcode::symm || s.op == Opcode::hemm)
            check_symm(i, s);
        else
            for (const Ref& in : s.in) check_half(i, in);
    }

    bool fits(const Step& s, const Product& p) const {
        const Factors first = first_factor(p.op_first, tile(p.first));
        const Factors second = second_factor(p.op_second, tile(p.second));
        return first.outer == rows_of(tile(s.out)) && second.outer == cols_of(tile(s.out)) &&
               first.inner == second.inner;
    }

    void check_trmm(std::size_t i, const Step& s) {
        const Triangular of = triangular_of(plan_);
        const bool alone = in_place(s), left = s.side == Side::Left;
        if (!is_square_of(of, s, s.in[alone || left ? 0 : 1]))
            return fault("step {}: {}", i, misfit);
        if (plan_.goal.solves) fault("step {}: multiplies what the goal solves for", i);
        if (alone && s.keep != Scale::zero)
            fault("step {}: keeps nothing of what it overwrites", i);
    }

    void check_symm(std::size_t i, const Step& s) {
        const Ref& a = s.in[s.side == Side::Left ? 0 : 1];
        const Operand& of = operand_of(plan_, tile(a));
        const Structure wanted = s.op == Opcode::symm ? Structure::symmetric : Structure::hermitian;
        if (!at_diagonal(tile(a)) || of.structure != wanted || of.triangle != s.triangle)
            fault("step {}: {}", i, misfit);
    }

    /// Of a half-stored matrix products take what lies off the diagonal, or what mirrors filled up.
    void check_half(std::size_t i, const Ref& in) {
        if (in.tile < 0 || is_target(plan_, tile(in))) return;
        const Operand& of = operand_of(plan_, tile(in));
        if (of.triangle == Triangle::none || off_diagonal(of.triangle, tile(in))) return;
        const bool mirrored =
            of.structure == Structure::symmetric || of.structure == Structure::hermitian;
        if (!mirrored || in.buffer == Ref::home)
            fault("step {}: a product with a tile that is not all in its triangle", i);
    }

    const Plan& plan_;
    Faults& faults_;
};

}  // namespace

void check_instructions(const Plan& plan, Faults& faults) { Instructions(plan, faults).check(); }

}  // namespace gemmill
