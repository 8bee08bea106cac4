// SPDX-License-Identifier: Apache-2.0
#include "plan/padding.hpp"

#include <algorithm>
#include <limits>

#include "plan/access.hpp"

namespace gemmill {
namespace {

Padding padding_of(const Plan& plan, const Ref& ref) {
    return padding_of(plan, ref, tile_of(plan, ref));
}

/// Of op(block).
Padding after(Op op, const Padding& p) { return op == Op::NoTrans ? p : Padding{p.cols, p.rows}; }

/// Factors whose padding is zero.
bool is_clear(const Plan& plan, const Product& p) {
    return !is_target(plan, tile_of(plan, p.first)) && !is_target(plan, tile_of(plan, p.second));
}

/// How much one product can be extended.
Extent room_of(const Plan& plan, const Step& step, const Product& p) {
    const Padding out = padding_of(plan, step.out);
    const Padding first = after(p.op_first, padding_of(plan, p.first));
    const Padding second = after(p.op_second, padding_of(plan, p.second));
    const index_t k = is_clear(plan, p) ? std::min(first.cols, second.rows) : 0;
    return {std::min(out.rows, first.rows), std::min(out.cols, second.cols), k};
}

/// Kernels that go through a triangle of their own result stay within it.
bool extends(const Step& step) { return step.op != Opcode::trmm && step.op != Opcode::trsm; }

/// A square has one size.
void square(const Step& step, Extent& room) {
    if (makes_triangle(step.op)) room.m = room.n = std::min(room.m, room.n);
    if (!takes_triangle(step.op)) return;
    index_t& side = step.side == Side::Left ? room.m : room.n;
    side = room.k = std::min(side, room.k);
}

}  // namespace

Padding padding_of(const Plan& plan, const Ref& ref, const Tile& block) {
    if (ref.buffer == Ref::home || plan.grain == 1) return {};
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(ref.buffer)];
    const Tile& whole = plan.tiles[static_cast<std::size_t>(buffer.tile)];
    Padding padding;
    if (block.row + block.rows == whole.row + whole.rows)
        padding.rows = rounded(whole.rows, plan.grain) - whole.rows;
    if (block.col + block.cols == whole.col + whole.cols)
        padding.cols = rounded(whole.cols, plan.grain) - whole.cols;
    return padding;
}

Padding cleared_by(const Plan& plan, const Step& step) {
    const bool brings = step.op == Opcode::fetch || step.op == Opcode::mirror;
    if (!brings || is_target(plan, tile_of(plan, step.out))) return {};
    return padding_of(plan, step.out, touched(plan, step, step.out));
}

Extent extent_of(const Plan& plan, const Step& step) {
    const Tile& out = tile_of(plan, step.out);
    const Extent tiles{out.rows, out.cols, k_span(plan, step).count};
    if (plan.grain == 1 || !extends(step)) return tiles;
    const Products products = products_of(step);
    if (products.count == 0) return tiles;
    constexpr index_t any = std::numeric_limits<index_t>::max();
    Extent room{any, any, any};
    for (const Product& product : products) {
        const Extent one = room_of(plan, step, product);
        room = {std::min(room.m, one.m), std::min(room.n, one.n), std::min(room.k, one.k)};
    }
    square(step, room);
    return {tiles.m + room.m, tiles.n + room.n, tiles.k + room.k};
}

}  // namespace gemmill
