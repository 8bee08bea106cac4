// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/routine.hpp"
#include "base/text.hpp"
#include "plan/access.hpp"
#include "plan/faults.hpp"
#include "plan/form.hpp"

namespace gemmill {
namespace {

bool within(std::int64_t i, std::size_t size) {
    return i >= 0 && i < static_cast<std::int64_t>(size);
}

/// Looks at everything that indexes something else, then at what fits what.
class Structure {
  public:
    Structure(const Plan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

    void check() {
        check_policy();
        check_problem();
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

    /// It is shown to people as it is.
    void check_policy() {
        const auto control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
        if (plan_.policy.size() > 256 || std::ranges::any_of(plan_.policy, control))
            fault("policy {} is no name", shown(plan_.policy));
    }

    void check_problem() {
        const Problem& p = plan_.problem;
        const std::size_t memories = plan_.machine.memories.size();
        if (p.m < 0 || p.n < 0 || p.k < 0) fault("problem: a size is negative");
        if (writes_triangle(p.routine) && p.m != p.n) fault("problem: C is not square");
        if (reads_triangle(p.routine) && p.k != (p.side == Side::Left ? p.m : p.n))
            fault("problem: A does not fit its side");
        if (p.routine != Routine::gemm && is_short(p.type))
            fault("problem: only gemm takes 16-bit types");
        if (is_hermitian(p.routine) && !is_complex(p.type))
            fault("problem: {} takes complex types only", name_of(p.routine));
        if (!allows(p.routine, p.type, p.op_a)) fault("problem: A cannot be transposed so");
        // Products of sizes must stay far from the end of 64 bits.
        for (const Operand operand : {Operand::A, Operand::B, Operand::C}) {
            const Shape shape = stored_shape(p, operand);
            if (static_cast<double>(shape.rows) * static_cast<double>(shape.cols) > 4e17)
                fault("problem: an operand is too large");
        }
        for (const MemoryId home : p.home)
            if (!within(home, memories)) fault("problem: home {} is no memory", home);
        for (const DeviceId device : plan_.devices)
            if (!within(device, plan_.machine.devices.size())) fault("device {} is none", device);
        if (plan_.slab.size() != memories || plan_.limit.size() != memories) {
            fault("slab and limit need one entry a memory");
            return;
        }
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

    void check_tile(std::size_t i) {
        const Tile& t = plan_.tiles[i];
        const Shape whole = stored_shape(plan_.problem, t.operand);
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
        if (!within(b.memory, plan_.machine.memories.size()) ||
            !within(b.tile, plan_.tiles.size())) {
            fault("buffer {}: no such memory or tile", i);
            return;
        }
        const Tile& tile = plan_.tiles[static_cast<std::size_t>(b.tile)];
        const std::int64_t slab = plan_.slab[static_cast<std::size_t>(b.memory)];
        const std::int64_t size = bytes_of(plan_.problem.type), elements = b.bytes / size;
        if (b.offset < 0 || b.bytes <= 0 || b.offset > slab - b.bytes)
            fault("buffer {} does not lie in its slab", i);
        else if (b.offset % size != 0)
            fault("buffer {} does not start at an element", i);
        else if (b.ld < tile.rows || b.ld > b.bytes || tile.rows > elements ||
                 tile.cols - 1 > (elements - tile.rows) / b.ld)
            fault("buffer {} is too small for its tile", i);
    }

    bool check_ref(std::size_t step, const Ref& ref, bool optional) {
        if (optional && ref.tile == -1 && ref.buffer == Ref::home) return true;
        if (!within(ref.tile, plan_.tiles.size()) ||
            (ref.buffer != Ref::home && !within(ref.buffer, plan_.buffers.size()))) {
            fault("step {}: no such tile or buffer", step);
            return false;
        }
        if (ref.buffer == Ref::home) return true;
        const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(ref.buffer)];
        if (!contains(plan_.tiles[static_cast<std::size_t>(buffer.tile)], tile(ref)))
            fault("step {}: buffer {} is of another tile", step, ref.buffer);
        const auto id = static_cast<StepId>(step);
        if (id < buffer.first || id > buffer.last)
            fault("step {}: uses buffer {} outside its life", step, ref.buffer);
        return true;
    }

    void check_indexes(std::size_t i) {
        const Step& s = plan_.steps[i];
        if (!within(s.queue, plan_.queues.size())) fault("step {}: no such queue", i);
        if (s.wait_count < 0 || s.wait_begin < 0 ||
            static_cast<std::size_t>(s.wait_begin) + static_cast<std::size_t>(s.wait_count) >
                plan_.waits.size()) {
            fault("step {}: its waits are not in the list", i);
        } else {
            for (const StepId wait : waits_of(plan_, s))
                if (!within(wait, i))
                    fault("step {} waits for {}, which is not before it", i, wait);
        }
        check_ref(i, s.out, false);
        check_ref(i, s.in[0], s.kind == StepKind::compute);
        check_ref(i, s.in[1], true);
    }

    const Tile& tile(const Ref& ref) const {
        return plan_.tiles[static_cast<std::size_t>(ref.tile)];
    }

    void check_step(std::size_t i) {
        const Step& s = plan_.steps[i];
        const Queue& queue = plan_.queues[static_cast<std::size_t>(s.queue)];
        const bool moves = s.kind == StepKind::fetch || s.kind == StepKind::write;
        if (moves != (queue.kind == QueueKind::transfer)) {
            fault("step {}: a {} on a queue of the other kind", i, name_of(s.kind));
            return;
        }
        if (s.pieces < 1 || s.piece >= s.pieces || (s.kind != StepKind::fetch && s.pieces != 1))
            fault("step {}: piece {} of {}", i, s.piece, s.pieces);
        if (moves)
            check_move(i, s, plan_.machine.links[static_cast<std::size_t>(queue.index)]);
        else
            check_kernel(i, s, plan_.machine.devices[static_cast<std::size_t>(queue.index)].memory);
    }

    void check_move(std::size_t i, const Step& s, const Link& link) {
        if (s.in[0].tile != s.out.tile || s.in[1].tile != -1)
            fault("step {}: moves one tile into another", i);
        if (memory_of(plan_, s.in[0]) != link.from || memory_of(plan_, s.out) != link.to)
            fault("step {}: its link does not join its memories", i);
        if (s.kind == StepKind::fetch && s.out.buffer == Ref::home)
            fault("step {}: a fetch into the user's memory", i);
        if (s.kind == StepKind::write &&
            (s.out.buffer != Ref::home || s.in[0].buffer == Ref::home ||
             tile(s.out).operand != Operand::C))
            fault("step {}: a write goes from a buffer to C", i);
        check_triangle(i, tile(s.out));
        if (s.kind == StepKind::write) check_out(i, s, true);
        if (!is_read(plan_.problem, tile(s.out).operand) && s.kind == StepKind::fetch &&
            s.in[0].buffer == Ref::home)
            fault("step {}: fetches an operand that must not be read", i);
    }

    /// Of a half-stored operand nothing moves that has no element in its triangle.
    void check_triangle(std::size_t i, const Tile& t) {
        const Problem& p = plan_.problem;
        const bool half = (t.operand == Operand::A && reads_triangle(p.routine)) ||
                          (t.operand == Operand::C && writes_triangle(p.routine));
        if (half && place_of(p.uplo, t) == Place::beyond)
            fault("step {}: moves a tile of the triangle that is not used", i);
    }

    void check_kernel(std::size_t i, const Step& s, MemoryId memory) {
        for (const Ref& ref : {s.out, s.in[0], s.in[1]})
            if (ref.tile >= 0 && memory_of(plan_, ref) != memory)
                fault("step {}: tile {} is not in the device's memory", i, ref.tile);
        if (s.kind == StepKind::mirror) return check_mirror(i, s);
        if (tile(s.out).operand != Operand::C) fault("step {}: computes something else than C", i);
        if (s.kind == StepKind::add) {
            if (s.in[0].tile != s.out.tile || s.in[0].buffer == s.out.buffer ||
                s.in[1].tile != -1 || s.keep == Keep::zero || s.out.buffer == Ref::home)
                fault("step {}: an add takes two places of one C tile", i);
            check_out(i, s, false);
        } else if (s.in[0].tile < 0) {
            if (s.in[1].tile >= 0) fault("step {}: a product needs both A and B", i);
            check_out(i, s, true);
        } else {
            check_inputs(i, s);
        }
    }

    void check_mirror(std::size_t i, const Step& s) {
        const Tile &from = tile(s.in[0]), &to = tile(s.out);
        if (!mirrors(plan_.problem.routine) || to.operand != Operand::A || from != image_of(to) ||
            s.in[1].tile >= 0 || s.keep != Keep::zero || s.out.buffer == Ref::home ||
            s.in[0].buffer != s.out.buffer)
            fault("step {}: a mirror takes two tiles of one A in one buffer", i);
        else if (!at_diagonal(to) && !off_diagonal(plan_.problem.uplo, from))
            fault("step {}: mirrors what is not stored", i);
    }

    /// Only squares at the diagonal of a C that has a triangle are kept to it.
    void check_out(std::size_t i, const Step& s, bool at_diagonal_too) {
        const Problem& p = plan_.problem;
        if (!writes_triangle(p.routine) || off_diagonal(p.uplo, tile(s.out))) return;
        if (!at_diagonal_too || !at_diagonal(tile(s.out)))
            fault("step {}: goes beyond the triangle of C", i);
    }

    void check_inputs(std::size_t i, const Step& s) {
        if (!is_read(plan_.problem, Operand::A))
            fault("step {}: reads A and B although it must not", i);
        const Routine r = plan_.problem.routine;
        const bool alone = !has_b(r) && s.in[1].tile < 0;
        if (s.in[1].tile < 0 && !alone) {
            fault("step {}: a product needs both A and B", i);
        } else if (const Form form = form_of(plan_, s); alone && !form.own) {
            fault("step {}: a product needs two tiles", i);
        } else if (!right_operands(s, form.own)) {
            if (r == Routine::gemm)
                fault("step {}: a product takes a tile of A and a tile of B", i);
            else
                fault("step {}: its tiles are of the wrong operands", i);
        } else if (!fits(s, form)) {
            fault("step {}: the tiles of A, B and C do not fit together", i);
        } else {
            check_half(i, s, form);
        }
    }

    bool right_operands(const Step& s, bool own) const {
        const Problem& p = plan_.problem;
        const Operand first = tile(s.in[0]).operand;
        if (s.in[1].tile < 0) return first == Operand::A;
        const std::pair both{first, tile(s.in[1]).operand};
        const auto is = [&](Operand a, Operand b) { return both == std::pair{a, b}; };
        if (is_rank_2(p.routine))
            return is(Operand::A, Operand::B) || (!own && is(Operand::B, Operand::A));
        if (writes_triangle(p.routine) && !has_b(p.routine))
            return !own && is(Operand::A, Operand::A);
        if (!reads_triangle(p.routine)) return is(Operand::A, Operand::B);
        const Operand other = is_in_place(p.routine) ? Operand::C : Operand::B;
        return p.side == Side::Left ? is(Operand::A, other) : is(other, Operand::A);
    }

    bool fits(const Step& s, const Form& form) const {
        const Problem& p = plan_.problem;
        const Tile &a = tile(s.in[0]), &c = tile(s.out);
        const Span rows{c.row, c.rows}, cols{c.col, c.cols};
        if (form.own && is_in_place(p.routine)) return square_fits(s, rows, cols);
        const Factors first = first_factor(form.op_a, a);
        if (s.in[1].tile < 0) return first.outer == rows;
        // At the diagonal rank-2 updates take rows of A and the same rows of B.
        const Tile& b = tile(s.in[1]);
        const Factors second = form.own && is_rank_2(p.routine) ? first_factor(form.op_a, b)
                                                                : second_factor(form.op_b, b);
        return first.outer == rows && second.outer == cols && first.inner == second.inner;
    }

    /// A at the diagonal beside a block of C: what is overwritten, or what is read instead.
    bool square_fits(const Step& s, const Span& rows, const Span& cols) const {
        const bool left = plan_.problem.side == Side::Left, alone = s.in[1].tile < 0;
        const Tile& a = tile(s.in[alone || left ? 0 : 1]);
        if (!alone && tile(s.in[left ? 1 : 0]) != tile(s.out)) return false;
        return at_diagonal(a) && Span{a.row, a.rows} == (left ? rows : cols);
    }

    /// Of a half-stored matrix products take what lies off the diagonal, or what mirrors filled up.
    void check_half(std::size_t i, const Step& s, const Form& form) {
        const Problem& p = plan_.problem;
        check_out(i, s, form.own);
        for (const Ref& in : s.in)
            if (reads_triangle(p.routine) && in.tile >= 0 && tile(in).operand == Operand::A &&
                !form.own && !off_diagonal(p.uplo, tile(in)) &&
                (!mirrors(p.routine) || in.buffer == Ref::home))
                fault("step {}: a product with a tile of A that is not all in its triangle", i);
        if (!form.own) return;
        const bool overwrites = s.in[1].tile < 0;
        if (p.routine == Routine::trmm && overwrites && s.keep != Keep::zero)
            fault("step {}: trmm keeps nothing of what it overwrites", i);
        if (p.routine == Routine::trmm && !overwrites &&
            s.in[p.side == Side::Left ? 1 : 0] == s.out)
            fault("step {}: trmm reads what it adds to", i);
        if (p.routine == Routine::trsm && (s.keep == Keep::zero || !overwrites))
            fault("step {}: trsm solves for what is there", i);
    }

    const Plan& plan_;
    Faults& faults_;
};

}  // namespace

void check_structure(const Plan& plan, Faults& faults) { Structure(plan, faults).check(); }

}  // namespace gemmill
