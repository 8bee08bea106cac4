// SPDX-License-Identifier: Apache-2.0
// Random damage to plans.
#pragma once

#include <algorithm>
#include <limits>

#include "gemmill/plan.hpp"
#include "plan/check/mutate_goal.hpp"
#include "support/edit.hpp"

namespace gemmill::test {

inline void change_ref(Random& random, Ref& ref) {
    if (random.chance(50)) change(random, ref.tile);
    if (random.chance(70)) change(random, ref.buffer);
}

inline void drop_wait(Random& random, Plan& plan) {
    Step& s = random.pick(plan.steps);
    if (s.wait_count == 0) return;
    const auto begin = plan.waits.begin() + s.wait_begin;
    std::swap(begin[random.below(s.wait_count)], begin[s.wait_count - 1]);
    --s.wait_count;
}

inline void add_wait(Random& random, Plan& plan) {
    const StepId id = static_cast<StepId>(random.below(std::ssize(plan.steps)));
    Step& s = plan.steps[static_cast<std::size_t>(id)];
    std::vector<StepId> all(waits_of(plan, s).begin(), waits_of(plan, s).end());
    all.push_back(static_cast<StepId>(random.below(id + 1)));
    s.wait_begin = static_cast<std::int32_t>(plan.waits.size());
    s.wait_count = static_cast<std::int32_t>(all.size());
    plan.waits.insert(plan.waits.end(), all.begin(), all.end());
}

inline void swap_steps(Random& random, Plan& plan) {
    const auto i = static_cast<std::size_t>(random.below(std::ssize(plan.steps) - 1));
    std::swap(plan.steps[i], plan.steps[random.chance(60) ? i + 1 : plan.steps.size() - 1]);
}

inline void change_buffer(Random& random, Plan& plan) {
    if (plan.buffers.empty()) return;
    Buffer& b = random.pick(plan.buffers);
    switch (random.below(8)) {
        case 0:
            change(random, b.memory);
            break;
        case 1:
            change(random, b.tile);
            break;
        case 2:
            b.offset = random.pick(plan.buffers).offset;
            break;
        case 3:
            b.offset += random.pick({-256, -8, 4, 8, 1, 256});
            break;
        case 4:
            change(random, b.bytes);
            break;
        case 5:
            change(random, b.ld);
            break;
        case 6:
            change(random, b.first);
            break;
        default:
            change(random, b.last);
            break;
    }
}

/// A field that says what a step does.
inline void change_instruction(Random& random, Step& s) {
    switch (random.below(8)) {
        case 0:
            change_enum(random, s.op, opcode_count);
            break;
        case 1:
            change_enum(random, s.weight, scale_count);
            break;
        case 2:
            change_enum(random, s.keep, scale_count);
            break;
        case 3:
            s.op_a = random.pick(all_ops);
            break;
        case 4:
            s.op_b = random.pick(all_ops);
            break;
        case 5:
            s.side = s.side == Side::Left ? Side::Right : Side::Left;
            break;
        case 6:
            change_enum(random, s.triangle, 3);
            break;
        default:
            s.diag = s.diag == Diag::Unit ? Diag::NonUnit : Diag::Unit;
            break;
    }
}

/// A field that says where and when it is done.
inline void change_place(Random& random, Step& s) {
    switch (random.below(7)) {
        case 0:
            change(random, s.piece);
            break;
        case 1:
            change(random, s.pieces);
            break;
        case 2:
            change(random, s.queue);
            break;
        case 3:
            change_ref(random, s.out);
            break;
        case 4:
            change_ref(random, s.in[0]);
            break;
        case 5:
            change_ref(random, s.in[1]);
            break;
        default:
            change(random, random.chance(50) ? s.wait_begin : s.wait_count);
            break;
    }
}

inline void change_step(Random& random, Plan& plan) {
    Step& s = random.pick(plan.steps);
    if (random.chance(50))
        change_instruction(random, s);
    else
        change_place(random, s);
}

inline void change_tile(Random& random, Tile& t) {
    index_t* const fields[] = {&t.row, &t.col, &t.rows, &t.cols};
    if (random.chance(10))
        change_enum(random, t.operand, 3);
    else
        change(random, *random.pick(fields));
}

/// Another block for one step alone.
inline void change_block(Random& random, Plan& plan) {
    Step& s = random.pick(plan.steps);
    const TileId old = random.pick({s.out.tile, s.in[0].tile, s.in[1].tile});
    if (old < 0 || old >= std::ssize(plan.tiles)) return;
    plan.tiles.push_back(plan.tiles[static_cast<std::size_t>(old)]);
    change_tile(random, plan.tiles.back());
    for (Ref* ref : {&s.out, &s.in[0], &s.in[1]})
        if (ref->tile == old) ref->tile = static_cast<TileId>(plan.tiles.size() - 1);
}

inline void change_plan(Random& random, Plan& plan) {
    switch (random.below(6)) {
        case 0:
            change(random, random.pick(plan.slab));
            break;
        case 1:
            change(random, random.pick(plan.limit));
            break;
        case 2:
            plan.limit.pop_back();
            break;
        case 3:
            change(random, random.pick(plan.waits));
            break;
        case 4:
            change(random, random.pick(plan.queues).index);
            break;
        default:
            change_enum(random, random.pick(plan.queues).kind, 2);
            break;
    }
}

/// Whether another mutation can still find its way through the lists.
inline bool can_mutate(const Plan& plan) {
    const auto waits_exist = [&](const Step& s) {
        return s.wait_begin >= 0 && s.wait_count >= 0 &&
               std::int64_t{s.wait_begin} + s.wait_count <= std::ssize(plan.waits);
    };
    return plan.steps.size() >= 2 && !plan.waits.empty() && !plan.limit.empty() &&
           std::ranges::all_of(plan.steps, waits_exist);
}

inline void mutate(Random& random, Plan& plan) {
    if (!can_mutate(plan)) return;
    const auto some = static_cast<StepId>(random.below(std::ssize(plan.steps)));
    switch (random.below(16)) {
        case 0:
        case 1:
            drop_wait(random, plan);
            break;
        case 2:
            add_wait(random, plan);
            break;
        case 3:
            swap_steps(random, plan);
            break;
        case 4:
            drop_step(plan, some);
            break;
        case 5:
            plan.steps.push_back(plan.steps[static_cast<std::size_t>(some)]);
            break;
        case 6:
        case 7:
            change_buffer(random, plan);
            break;
        case 8:
            change_tile(random, random.pick(plan.tiles));
            break;
        case 9:
            change_plan(random, plan);
            break;
        case 10:
            change_block(random, plan);
            break;
        case 11:
            change_goal(random, plan);
            break;
        case 12:
            change_operand(random, plan);
            break;
        case 13:
            change_everywhere(random, plan);
            break;
        default:
            change_step(random, plan);
            break;
    }
}

}  // namespace gemmill::test
