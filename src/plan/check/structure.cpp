// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "plan/access.hpp"
#include "plan/check/faults.hpp"
#include "plan/check/match.hpp"

namespace gemmill {
namespace {

bool within(std::int64_t i, std::size_t size) {
    return i >= 0 && i < static_cast<std::int64_t>(size);
}

/// A kernel of an opcode that a square at a diagonal needs.
bool is_own(Opcode op) { return makes_triangle(op) || takes_triangle(op) || op == Opcode::mirror; }

/// Looks at everything that indexes something else, then at what fits what.
class Structures {
  public:
    Structures(const Plan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

    void check() {
        check_memories();
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.tiles.size(); ++i) check_tile(i);
        for (std::size_t i = 0; i < plan_.queues.size(); ++i) check_queue(i);
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.buffers.size(); ++i) check_buffer(i);
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_indexes(i);
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(i);
    }

  private:
    template <class... Args>
    void fault(fmt::format_string<Args...> text, Args&&... args) {
        faults_.add(fmt::format(text, std::forward<Args>(args)...));
    }

    void check_memories() {
        const std::size_t memories = plan_.machine.memories.size();
        for (const DeviceId device : plan_.devices)
            if (!within(device, plan_.machine.devices.size())) fault("device {} is none", device);
        if (plan_.slab.size() != memories || plan_.limit.size() != memories)
            return fault("slab and limit need one entry a memory");
        for (std::size_t i = 0; i < memories; ++i) {
            const Memory& memory = plan_.machine.memories[i];
            if (plan_.slab[i] < 0 || plan_.slab[i] > plan_.limit[i])
                fault("memory {}: uses {} bytes of {} allowed", memory.name, plan_.slab[i],
                      plan_.limit[i]);
            if (plan_.limit[i] > memory.capacity)
                fault("memory {}: allows {} bytes of {}", memory.name, plan_.limit[i],
                      memory.capacity);
        }
    }

    // --- tiles, queues, buffers -----------------------------------------------------------------

    void check_tile(std::size_t i) {
        const Tile& t = plan_.tiles[i];
        if (!within(t.operand, plan_.operands.size())) return fault("tile {}: no such operand", i);
        const Operand& whole = operand_of(plan_, t);
        if (t.row < 0 || t.col < 0 || t.rows <= 0 || t.cols <= 0 || t.row > whole.rows - t.rows ||
            t.col > whole.cols - t.cols)
            fault("tile {} does not lie in its operand", i);
    }

    void check_queue(std::size_t i) {
        const Queue& q = plan_.queues[i];
        if (q.kind == QueueKind::transfer) {
            if (!within(q.index, plan_.machine.links.size())) fault("queue {}: no such link", i);
        } else if (std::ranges::find(plan_.devices, q.index) == plan_.devices.end()) {
            fault("queue {}: device {} is not one of the plan's", i, q.index);
        }
    }

    void check_buffer(std::size_t i) {
        const Buffer& b = plan_.buffers[i];
        if (!within(b.memory, plan_.machine.memories.size()) || !within(b.tile, plan_.tiles.size()))
            return fault("buffer {}: no such memory or tile", i);
        const Tile& tile = plan_.tiles[static_cast<std::size_t>(b.tile)];
        const std::int64_t slab = plan_.slab[static_cast<std::size_t>(b.memory)];
        const std::int64_t size = bytes_of(operand_of(plan_, tile).type), elements = b.bytes / size;
        if (b.offset < 0 || b.bytes <= 0 || b.offset > slab - b.bytes)
            fault("buffer {} does not lie in its slab", i);
        else if (b.offset % size != 0)
            fault("buffer {} does not start at an element", i);
        else if (b.ld < tile.rows || b.ld > b.bytes || tile.rows > elements ||
                 tile.cols - 1 > (elements - tile.rows) / b.ld)
            fault("buffer {} is too small for its tile", i);
    }

    // --- what steps name ------------------------------------------------------------------------

    void check_indexes(std::size_t i) {
        const Step& s = plan_.steps[i];
        if (static_cast<int>(s.op) >= opcode_count) return fault("step {}: no such opcode", i);
        if (!within(s.queue, plan_.queues.size())) fault("step {}: no such queue", i);
        if (s.wait_count < 0 || s.wait_begin < 0 ||
            static_cast<std::size_t>(s.wait_begin) + static_cast<std::size_t>(s.wait_count) >
                plan_.waits.size())
            return fault("step {}: its waits are not in the list", i);
        for (const StepId wait : waits_of(plan_, s))
            if (!within(wait, i)) fault("step {} waits for {}, which is not before it", i, wait);
        check_ref(i, s.out, false);
        check_ref(i, s.in[0], info_of(s.op).least < 1);
        check_ref(i, s.in[1], info_of(s.op).least < 2);
        if (inputs_of(s) > info_of(s.op).most) fault("step {}: too many inputs", i);
    }

    void check_ref(std::size_t step, const Ref& ref, bool optional) {
        if (optional && ref == Ref{}) return;
        if (!within(ref.tile, plan_.tiles.size()) ||
            (ref.buffer != Ref::home && !within(ref.buffer, plan_.buffers.size())))
            return fault("step {}: no such tile or buffer", step);
        if (ref.buffer == Ref::home) return;
        const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(ref.buffer)];
        if (!contains(plan_.tiles[static_cast<std::size_t>(buffer.tile)], tile(ref)))
            fault("step {}: buffer {} is of another tile", step, ref.buffer);
        const auto id = static_cast<StepId>(step);
        if (id < buffer.first || id > buffer.last)
            fault("step {}: uses buffer {} outside its life", step, ref.buffer);
    }

    const Tile& tile(const Ref& ref) const { return tile_of(plan_, ref); }

    // --- what steps do --------------------------------------------------------------------------

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
            if (ref.tile >= 0 && memory_of(plan_, ref) != memory)
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

void check_structure(const Plan& plan, Faults& faults) { Structures(plan, faults).check(); }

}  // namespace gemmill
