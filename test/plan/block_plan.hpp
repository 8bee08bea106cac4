// SPDX-License-Identifier: Apache-2.0
// A small valid plan by hand whose steps touch blocks of buffers.
#pragma once

#include "plan/sample.hpp"

namespace gemmill::test {

namespace block_plan_tiles {
enum : TileId { a, a_left, a_right, a_top, a_bottom, b, b_upper, b_lower, b_rest };
enum : TileId { c = b_rest + 1, c_front, c_strip0, c_strip1, c_rest };
}  // namespace block_plan_tiles

inline void add_block_steps(Plan& p, const Problem& problem) {
    using namespace block_plan_tiles;
    using enum Opcode;
    enum : BufferId { home = Ref::home, in_a, in_b, in_c, late };
    enum : QueueId { gpu, gpu_too, down, down_too, up };
    const auto move = [&](Opcode op, QueueId queue, TileId tile, BufferId from, BufferId to) {
        Step step = move_step(p, op, {tile, from}, {tile, to});
        step.queue = queue;
        return step;
    };
    const auto multiply = [&](QueueId queue, Keep keep, TileId out, TileId x, TileId y) {
        return compute_step(p, problem, queue, {out, in_c}, keep, {x, in_a}, {y, in_b});
    };
    const auto add_late = [&](QueueId queue, TileId tile) {
        return add_step(p, queue, {tile, in_c}, Keep::old, {tile, late});
    };
    append(p, move(fetch, down, a_left, home, in_a), {});     // 0
    append(p, move(fetch, down_too, a_top, home, in_a), {});  // 1
    append(p, move(fetch, down, a_bottom, home, in_a), {});   // 2
    Step half = move(fetch, down_too, b, home, in_b);
    half.pieces = 2;
    append(p, half, {});  // 3
    half.piece = 1;
    append(p, half, {});                                                     // 4
    append(p, multiply(gpu, Keep::zero, c_front, a_left, b_upper), {0, 4});  // 5
    append(p, multiply(gpu, Keep::sum, c_front, a_right, b_lower), {2});     // 6
    append(p, move(fetch, down, c_strip0, home, late), {});                  // 7
    append(p, move(fetch, down_too, c_rest, home, in_c), {});                // 8
    append(p, multiply(gpu_too, Keep::old, c_rest, a, b_rest), {2, 8});      // 9
    append(p, add_late(gpu, c_strip0), {7});                                 // 10
    append(p, move(write, up, c_strip0, in_c, home), {10});                  // 11
    append(p, move(fetch, down, c_strip1, home, late), {});                  // 12
    append(p, add_late(gpu_too, c_strip1), {6, 12});                         // 13
    append(p, move(write, up, c_strip1, in_c, home), {13});                  // 14
    append(p, move(write, up, c_rest, in_c, home), {9});                     // 15
}

/// C = alpha A B + beta C, 8 x 8 x 8 doubles on one device that holds A, B and C whole. The front,
/// columns 0..6 of C, grows over two panels of k as one tile and gets beta C late, in two strips;
/// columns 6..8 are made at once, from all of A.
inline Plan block_plan() {
    using namespace operand;
    Plan p;
    p.machine = sample_machine();
    const Problem problem = gemm_problem(8, 8, 8);
    describe(problem, p);
    p.policy = "by hand";
    p.devices = {0};
    p.limit = {0, 1 << 20, 0};
    p.slab = {0, 4096, 0};
    p.tiles = {{A, 0, 0, 8, 8}, {A, 0, 0, 8, 4}, {A, 0, 4, 8, 4}, {A, 0, 4, 4, 4}, {A, 4, 4, 4, 4},
               {B, 0, 0, 8, 8}, {B, 0, 0, 4, 6}, {B, 4, 0, 4, 6}, {B, 0, 6, 8, 2}, {C, 0, 0, 8, 8},
               {C, 0, 0, 8, 6}, {C, 0, 0, 8, 4}, {C, 0, 4, 8, 2}, {C, 0, 6, 8, 2}};
    p.queues = {{QueueKind::compute, 0},
                {QueueKind::compute, 0},
                {QueueKind::transfer, 0},
                {QueueKind::transfer, 0},
                {QueueKind::transfer, 1}};
    p.buffers = {{1, block_plan_tiles::a, 0, 512, 8, -1, -1},
                 {1, block_plan_tiles::b, 512, 512, 8, -1, -1},
                 {1, block_plan_tiles::c, 1024, 576, 9, -1, -1},
                 {1, block_plan_tiles::c_front, 1600, 384, 8, -1, -1}};
    add_block_steps(p, problem);
    set_lives(p);
    return p;
}

}  // namespace gemmill::test
