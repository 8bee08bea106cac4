// SPDX-License-Identifier: Apache-2.0
#include "plan/build/steps.hpp"

#include "plan/access.hpp"

namespace gemmill {

Scale scale_of(const Plan& plan, Keep keep) {
    if (keep == Keep::old) return plan.goal.keep;
    return keep == Keep::sum ? Scale::one : Scale::zero;
}

Triangle triangle_at(const Plan& plan, const Tile& tile) {
    return is_target(plan, tile) && at_diagonal(tile) ? target_of(plan).triangle : Triangle::none;
}

Step add_step(const Plan& plan, QueueId queue, const Ref& sum, Keep keep, const Ref& in) {
    Step step;
    step.op = Opcode::add;
    step.queue = queue;
    step.weight = scale_of(plan, keep);
    step.out = sum;
    step.in[0] = in;
    return step;
}

Step mirror_step(const Plan& plan, QueueId queue, const Ref& out, const Ref& in) {
    Step step;
    step.op = Opcode::mirror;
    step.queue = queue;
    step.triangle = operand_of(plan, tile_of(plan, out)).triangle;
    step.out = out;
    step.in[0] = in;
    return step;
}

Step move_step(const Plan& plan, Opcode op, const Ref& from, const Ref& to, int piece, int pieces) {
    Step step;
    step.op = op;
    step.piece = static_cast<std::uint16_t>(piece);
    step.pieces = static_cast<std::uint16_t>(pieces);
    if (op == Opcode::write) step.triangle = triangle_at(plan, tile_of(plan, to));
    step.out = to;
    step.in[0] = from;
    return step;
}

}  // namespace gemmill
