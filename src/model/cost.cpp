// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <algorithm>
#include <cmath>

#include "plan/access.hpp"

namespace gemmill {
namespace {

/// Whether a tile's columns lie one behind the other there.
bool is_packed(const Plan& plan, const Ref& ref) {
    const Tile& tile = tile_of(plan, ref);
    return tile.rows == (ref.buffer == Ref::home
                             ? operand_of(plan, tile).rows
                             : plan.buffers[static_cast<std::size_t>(ref.buffer)].ld);
}

/// Contiguous runs of a copy: one, or one a column.
index_t runs_of(const Plan& plan, const Step& step, index_t cols) {
    const bool packed = is_packed(plan, step.in[0]) && is_packed(plan, step.out);
    return packed && step.triangle == Triangle::none ? 1 : cols;
}

Cost transfer_cost(const Plan& plan, const Step& step, const Link& link) {
    const Tile& tile = tile_of(plan, step.out);
    const index_t cols = piece_columns(tile.cols, step.piece, step.pieces).count;
    const auto bytes = static_cast<double>(bytes_moved(plan, step));
    const auto runs = static_cast<double>(runs_of(plan, step, cols));
    return {link.latency, bytes + link.run_overhead * runs, link.bandwidth};
}

/// Where x lies on a rising axis: between which two marks, how far, and what part of the first mark
/// it is when it lies before it.
struct Place {
    std::size_t low = 0, high = 0;
    double far = 0, part = 1;
};

Place place_on(const std::vector<double>& axis, double x) {
    if (x <= axis.front()) return {0, 0, 0, x / axis.front()};
    if (x >= axis.back()) return {axis.size() - 1, axis.size() - 1, 0, 1};
    std::size_t high = 1;
    while (axis[high] < x) ++high;
    return {high - 1, high, std::log2(x / axis[high - 1]) / std::log2(axis[high] / axis[high - 1]),
            1};
}

double rate_from(const Rates& rates, double m, double n, double k) {
    const Place e = place_on(rates.edges, std::sqrt(m * n)), d = place_on(rates.ks, k);
    const auto along_k = [&](std::size_t i) {
        const double* row = rates.flops.data() + i * rates.ks.size();
        return row[d.low] + d.far * (row[d.high] - row[d.low]);
    };
    const double low = along_k(e.low), high = along_k(e.high);
    return (low + e.far * (high - low)) * e.part * e.part * d.part;
}

/// What a routine reaches on squares at the diagonal of the rate of a product, where nothing is
/// known of shapes: cuBLAS on an H200 at n = 16384 in double precision. For gemmt, which cuBLAS
/// lacks, what its squares allow.
double part_of_rate(Opcode op) {
    switch (op) {
        case Opcode::gemmt:
            return 0.9;
        case Opcode::symm:
        case Opcode::hemm:
            return 0.8;
        case Opcode::syr2k:
        case Opcode::her2k:
            return 0.76;
        case Opcode::trsm:
            return 0.73;
        default:
            return 0.87;
    }
}

/// The same where rates by shape are known: fits to cuBLAS 13 on an H200, double precision, squares
/// of 256 to 8192 rows beside 2048 to 16384 columns (2026-11-15). Small triangles take as long as
/// whole squares; trsm goes through its squares step by step, and trmm through those that it
/// overwrites and that are too large for a copy of C.
double part_of_rate(Opcode op, double edge, double other, bool overwrites) {
    constexpr double whole = 1 << 14;   // from here on the fits are too good
    constexpr double copied = 1 << 13;  // of trmm, by the driver
    if (op == Opcode::syr2k || op == Opcode::her2k)
        return 0.95;  // plain products; n = 16384 had 0.97
    if (edge >= whole) return part_of_rate(op);
    switch (op) {
        case Opcode::gemmt:
            return edge / (edge + 800);
        case Opcode::symm:
        case Opcode::hemm:
            return std::min(0.91, 0.5 + edge / 6000);
        case Opcode::trmm:
            if (!overwrites) return edge / (edge + 700 + 1.2e6 / other);
            return edge <= copied ? edge / (edge + 400 + 0.9e6 / other)
                                  : edge / (edge + 1500 + 12.5e6 / other);
        case Opcode::trsm:
            return edge / (edge + 8400 + 11.5e6 / other);
        default:
            return std::clamp(edge / 2850, 0.3, 1.0);
    }
}

/// flop/s of a step that multiplies m x n x k, and how much of the device it can use at most.
struct Speed {
    double rate = 0, most = 1;
};

/// Steps that are plain products, whatever the goal is.
bool is_plain(Opcode op) { return op == Opcode::gemm || op == Opcode::scale; }

Speed speed_of(const Plan& plan, const Step& step, const Device& device, double k) {
    const Tile& out = tile_of(plan, step.out);
    const auto m = static_cast<double>(out.rows), n = static_cast<double>(out.cols);
    const Type type = operand_of(plan, out).type;
    const double rate = kernel_rate(device, type, m, n, k);
    if (is_plain(step.op)) return {rate, 1};
    const auto of_type = [&](const Rates& r) { return r.type == type; };
    if (std::ranges::none_of(device.rates, of_type)) return {rate * part_of_rate(step.op), 1};
    const auto edge = static_cast<double>(k_span(plan, step).count);
    if (step.op != Opcode::trmm && step.op != Opcode::trsm)
        return {rate * part_of_rate(step.op, makes_triangle(step.op) ? n : edge, 0, false), 1};
    constexpr double large = 1 << 13;
    const double most = kernel_rate(device, type, large, large, large);
    const double part =
        part_of_rate(step.op, edge, step.side == Side::Left ? n : m, in_place(step));
    if (step.op == Opcode::trmm) return {most * part, 1};
    return {most, part};  // others can use what trsm leaves of the device
}

Cost kernel_cost(const Plan& plan, const Step& step, const Device& device) {
    const Tile& out = tile_of(plan, step.out);
    const Type type = operand_of(plan, out).type;
    auto elements = static_cast<double>(out.rows * out.cols);
    const double flops = flops_of(plan, step);
    if (reads_out(step)) elements *= 2;
    for (const Ref& in : step.in)
        if (in.tile >= 0)
            elements += static_cast<double>(tile_of(plan, in).rows * tile_of(plan, in).cols);
    const double bytes = elements * static_cast<double>(bytes_of(type));
    const double area = static_cast<double>(out.rows * out.cols);
    const double k = flops > 0 ? flops / (area * flops_per_fma(type)) : 0;
    const Speed speed = flops > 0 ? speed_of(plan, step, device, k) : Speed{1, 1};
    const double compute = flops / speed.rate;
    const double memory = device.bandwidth > 0 ? bytes / device.bandwidth : 0;
    return {device.launch, std::max(compute, memory), speed.most};
}

}  // namespace

double kernel_rate(const Device& device, Type type, double m, double n, double k) {
    for (const Rates& rates : device.rates)
        if (rates.type == type) return rate_from(rates, m, n, k);
    return device.peak[static_cast<std::size_t>(type)];
}

Cost cost_of(const Plan& plan, const Step& step) {
    const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
    const auto index = static_cast<std::size_t>(queue.index);
    if (queue.kind == QueueKind::transfer)
        return transfer_cost(plan, step, plan.machine.links[index]);
    return kernel_cost(plan, step, plan.machine.devices[index]);
}

}  // namespace gemmill
