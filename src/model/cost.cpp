// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <algorithm>

#include "plan/access.hpp"

namespace gemmill {
namespace {

const Tile& tile_of(const Plan& plan, const Ref& ref) {
    return plan.tiles[static_cast<std::size_t>(ref.tile)];
}

/// Whether a tile's columns lie one behind the other there.
bool is_packed(const Plan& plan, const Ref& ref) {
    const Tile& tile = tile_of(plan, ref);
    return tile.rows == (ref.buffer == Ref::home
                             ? stored_shape(plan.problem, tile.operand).rows
                             : plan.buffers[static_cast<std::size_t>(ref.buffer)].ld);
}

/// Contiguous runs of a copy: one, or one a column.
index_t runs_of(const Plan& plan, const Step& step, index_t cols) {
    return is_packed(plan, step.in[0]) && is_packed(plan, step.out) ? 1 : cols;
}

Cost transfer_cost(const Plan& plan, const Step& step, const Link& link) {
    const Tile& tile = tile_of(plan, step.out);
    const index_t cols = piece_columns(tile.cols, step.piece, step.pieces).count;
    const auto bytes = static_cast<double>(tile.rows * cols * bytes_of(plan.problem.type));
    const auto runs = static_cast<double>(runs_of(plan, step, cols));
    return {link.latency, bytes + link.run_overhead * runs, link.bandwidth};
}

Cost kernel_cost(const Plan& plan, const Step& step, const Device& device) {
    const Tile& out = tile_of(plan, step.out);
    const Type type = plan.problem.type;
    auto elements = static_cast<double>(out.rows * out.cols);
    const double flops = flops_of(plan, step);
    if (step.keep != Keep::zero) elements *= 2;
    for (const Ref& in : step.in)
        if (in.tile >= 0)
            elements += static_cast<double>(tile_of(plan, in).rows * tile_of(plan, in).cols);
    const double bytes = elements * static_cast<double>(bytes_of(type));
    const double compute = flops / device.peak[static_cast<std::size_t>(type)];
    const double memory = device.bandwidth > 0 ? bytes / device.bandwidth : 0;
    return {device.launch, std::max(compute, memory), 1};
}

}  // namespace

Cost cost_of(const Plan& plan, const Step& step) {
    const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
    const auto index = static_cast<std::size_t>(queue.index);
    if (queue.kind == QueueKind::transfer)
        return transfer_cost(plan, step, plan.machine.links[index]);
    return kernel_cost(plan, step, plan.machine.devices[index]);
}

}  // namespace gemmill
