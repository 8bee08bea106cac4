// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/resident/copied.hpp"

#include <algorithm>

#include "plan/access.hpp"
#include "planner/shape/seats.hpp"
#include "task/instruct.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

class CopiedPlanner : OneDevicePlanner {
  public:
    CopiedPlanner(Draft& plan, const Choice& choice) : OneDevicePlanner(plan, choice) {}

    void make() {
        const bool first_is_a = !reads_triangle(p_.routine) || left();
        const Ref a = bring(operand::A), b = bring(operand::B), c = place(operand::C);
        if (is_read(p_, operand::C) && c.buffer != Ref::home) fetch(c);
        builder_.emit(compute_step(plan_, p_, queue_, c,
                                   is_read(p_, operand::C) ? Keep::old : Keep::zero,
                                   first_is_a ? a : b, first_is_a ? b : a));
        if (c.buffer != Ref::home) write(c);
    }

  private:
    /// A size that is the length of some matrix's columns must be even in all matrices.
    bool is_even(index_t size) const {
        return size % plan_.grain == 0 ||
               std::ranges::none_of(plan_.operands,
                                    [&](const Operand& o) { return o.rows == size; });
    }

    /// A buffer where sizes or distances of the matrix are odd and matter, else where it lies.
    Ref place(OperandId id) {
        const Operand& matrix = operand_of(plan_, id);
        const TileId whole = builder_.tile({id, 0, 0, matrix.rows, matrix.cols});
        const bool even =
            is_even(matrix.rows) && is_even(matrix.cols) && pitch_of(matrix) % plan_.grain == 0;
        return {whole, even ? Ref::home : builder_.keep(memory_, whole)};
    }

    Ref bring(OperandId operand) {
        if (!is_read(p_, operand)) return {};
        const Ref here = place(operand);
        if (here.buffer != Ref::home) fetch(here);
        return here;
    }
};

}  // namespace

bool is_copied(const Draft& plan, const Choice& choice) {
    const MemoryId memory = device_memory(plan.machine, choice.devices.front());
    const bool here =
        std::ranges::all_of(plan.problem.home, [&](MemoryId home) { return home == memory; });
    return plan.grain > 1 && choice.devices.size() == 1 && here &&
           !is_in_place(plan.problem.routine) && is_read(plan.problem, operand::A) &&
           find_link(plan.machine, memory, memory) >= 0;
}

void plan_copied(Draft& plan, const Choice& choice) { CopiedPlanner(plan, choice).make(); }

}  // namespace gemmill
