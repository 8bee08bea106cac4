// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/grain.hpp"
#include "plan/access.hpp"
#include "plan/padding.hpp"

namespace gemmill {
namespace {

/// Columns of a matrix are so far apart, or a multiple of it, as far as a plan knows.
index_t ld_of(const Plan& plan, const Ref& ref) {
    return ref.buffer == Ref::home ? pitch_of(operand_of(plan, tile_of(plan, ref)))
                                   : plan.buffers[static_cast<std::size_t>(ref.buffer)].ld;
}

/// Whether a tile's columns lie one behind the other there.
bool is_packed(const Plan& plan, const Ref& ref) {
    const bool apart = ref.buffer == Ref::home && operand_of(plan, tile_of(plan, ref)).pitch != 0;
    return !apart && tile_of(plan, ref).rows == ld_of(plan, ref);
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

/// What the device's chip says of an opcode; nullptr: nothing.
const Efficiency* efficiency_of(const Machine& machine, const Device& device, std::string_view op,
                                Type type) {
    if (device.chip < 0) return nullptr;
    for (const Efficiency& one : machine.chips[static_cast<std::size_t>(device.chip)].efficiencies)
        if (one.op == op && one.types.find(letter_of(type)) != std::string::npos) return &one;
    return nullptr;
}

double part_from(const Efficiency& one, double edge, double other) {
    const Place e = place_on(one.edges, edge), o = place_on(one.others, other);
    const auto along = [&](std::size_t i) {
        const double* row = one.parts.data() + i * one.others.size();
        return row[o.low] + o.far * (row[o.high] - row[o.low]);
    };
    const double low = along(e.low);
    return low + e.far * (along(e.high) - low);
}

/// What divides the grain, all distances between columns and all sizes along a column: libraries
/// read several elements of a column at a time. Other sizes do not matter to them.
index_t common_divisor(const Plan& plan, const Step& step, index_t grain) {
    const Extent extent = extent_of(plan, step);
    index_t common = grain;
    const auto divide = [&](index_t size) {
        if (size % common != 0) common = std::gcd(size % common, common);
    };
    const Products products = products_of(step);
    divide(extent.m);
    if (products.count == 0) divide(extent.n), divide(extent.k);
    for (const Product& product : products) {
        divide(product.op_first == Op::NoTrans ? extent.m : extent.k);
        divide(product.op_second == Op::NoTrans ? extent.k : extent.n);
    }
    for (const Ref& ref : {step.out, step.in[0], step.in[1]})
        if (ref.tile >= 0) divide(ld_of(plan, ref));
    return common;
}

/// What is left of the rate of even sizes.
double part_of_even(const Plan& plan, const Step& step, const Device& device, Type type,
                    double edge) {
    const index_t grain = grain_of(plan.machine, device);
    if (grain == 1) return 1;
    return odd_part(plan.machine, device,
                    {type, step.op_a, step.op_b, edge, common_divisor(plan, step, grain)});
}

/// What is left of the rate of a CPU whose operands are not pinned: cores that pack them for GPUs
/// do not compute meanwhile.
double part_beside_packers(const Plan& plan, const Step& step, const Device& device, Type type) {
    const auto packed = [&](const Ref& ref) {
        return ref.tile >= 0 && memory_of(plan, ref) != device.memory;
    };
    if (!packed(step.out) && !packed(step.in[0]) && !packed(step.in[1])) return 1;
    const Efficiency* const one = efficiency_of(plan.machine, device, "packing", type);
    return one == nullptr ? 1 : part_from(*one, 1, 1);
}

/// What is left of the rate of a CPU that makes few lines: a host BLAS does much packing for them.
double part_of_lines(const Plan& plan, const Device& device, Type type, double lines) {
    const Efficiency* const one = efficiency_of(plan.machine, device, "narrow", type);
    return one == nullptr ? 1 : part_from(*one, lines, 1);
}

/// flop/s of a step that multiplies m x n x k, and how much of the device it can use at most.
struct Speed {
    double rate = 0, most = 1;
};

/// Steps that are plain products, whatever the goal is.
bool is_plain(Opcode op) { return op == Opcode::gemm || op == Opcode::scale; }

/// Steps that go through a square at the diagonal: their rate is not that of a product of their
/// own shape.
bool goes_through(Opcode op) { return op == Opcode::trmm || op == Opcode::trsm; }

Speed speed_of(const Plan& plan, const Step& step, const Device& device, double k) {
    const Tile& out = tile_of(plan, step.out);
    const auto m = static_cast<double>(out.rows), n = static_cast<double>(out.cols);
    const Type type = operand_of(plan, out).type;
    constexpr double large = 1 << 13;
    const double even = goes_through(step.op) ? kernel_rate(device, type, large, large, large)
                                              : kernel_rate(device, type, m, n, k);
    const double rate = even * part_of_even(plan, step, device, type, std::sqrt(m * n)) *
                        part_beside_packers(plan, step, device, type) *
                        part_of_lines(plan, device, type, std::min(m, n));
    if (is_plain(step.op)) return {rate, 1};
    const bool over = step.op == Opcode::trmm && in_place(step);
    const Efficiency* const one =
        efficiency_of(plan.machine, device, over ? "trmm_in_place" : name_of(step.op), type);
    if (one == nullptr) return {rate, 1};
    const double edge = makes_triangle(step.op) ? n : static_cast<double>(k_span(plan, step).count);
    const double other = goes_through(step.op) ? (step.side == Side::Left ? n : m) : k;
    const double part = part_from(*one, edge, other);
    if (one->leaves) return {rate, part};
    return {rate * part, 1};
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

double odd_part(const Machine& machine, const Device& device, const OddProduct& product) {
    if (product.common == grain_of(machine, device)) return 1;
    const auto letter = [](Op op) { return op == Op::NoTrans ? 'n' : 't'; };
    const char name[] = {'o', 'd', 'd', '_', letter(product.op_a), letter(product.op_b)};
    const Efficiency* one = efficiency_of(machine, device, {name, sizeof name}, product.type);
    if (one == nullptr) one = efficiency_of(machine, device, "odd", product.type);
    return one == nullptr ? 1 : part_from(*one, product.edge, static_cast<double>(product.common));
}

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
