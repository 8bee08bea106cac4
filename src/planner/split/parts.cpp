// SPDX-License-Identifier: Apache-2.0
#include "planner/split/parts.hpp"

#include <algorithm>
#include <cmath>

#include "machine/grain.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr index_t least_last = 64;  // the last parts are few, and short waits count more

}  // namespace

index_t block_of(const Machine& machine, index_t width) {
    constexpr index_t block = 256;
    const bool known =
        std::ranges::any_of(machine.devices, [](const Device& d) { return !d.rates.empty(); });
    return !known ? grain_of(machine) : width >= block * 3 / 4 ? block : least_part;
}

index_t rounded(index_t x, index_t most, index_t block) {
    return x >= most ? most : std::min((x + block / 2) / block * block, most);
}

std::vector<Part> taper(const Machine& machine, Part whole, index_t count, index_t halvings) {
    std::vector<Part> parts;
    count = std::clamp<index_t>(count, 1, std::max<index_t>(1, whole.count / least_part));
    const index_t block = block_of(machine, whole.count / count), grain = grain_of(machine);
    for (index_t i = 0; i < count && whole.count > 0; ++i) {
        const index_t first = rounded(whole.count * i / count, whole.count, block);
        const index_t end = rounded(whole.count * (i + 1) / count, whole.count, block);
        if (end > first) parts.push_back({whole.first + first, end - first});
    }
    for (; halvings > 0 && !parts.empty() && parts.back().count >= 2 * least_last; --halvings) {
        Part& last = parts.back();
        const index_t half = last.count / 2 / grain * grain;
        last.count -= half;
        parts.push_back({last.first + last.count, half});
    }
    return parts;
}

std::vector<Part> growing(Part whole, index_t count, double growth) {
    count = std::clamp<index_t>(count, 1, std::max<index_t>(1, whole.count / least_part));
    double sum = 0, width = 1;
    for (index_t i = 0; i < count; ++i, width *= growth) sum += width;
    std::vector<Part> parts;
    index_t first = 0;
    double end = 0;
    width = static_cast<double>(whole.count) / sum;
    for (index_t i = 0; i < count; ++i, width *= growth) {
        end += width;
        const auto rounded = static_cast<index_t>(std::lround(end / least_part)) * least_part;
        const index_t last = i + 1 == count ? whole.count : std::min(rounded, whole.count);
        if (last > first) parts.push_back({whole.first + first, last - first});
        first = std::max(first, last);
    }
    return parts;
}

Tile stored_tile(OperandId operand, Op op, const Part& rows, const Part& cols) {
    const Part &r = op == Op::NoTrans ? rows : cols, &c = op == Op::NoTrans ? cols : rows;
    return {operand, r.first, c.first, r.count, c.count};
}

Tile stored_tile(const Problem& gemm, OperandId operand, const Part& rows, const Part& cols) {
    const Op op = operand == operand::A   ? gemm.op_a
                  : operand == operand::B ? gemm.op_b
                                          : Op::NoTrans;
    return stored_tile(operand, op, rows, cols);
}

Tile rank_first(const Problem& update, OperandId operand, const Part& rows, const Part& k) {
    return stored_tile(operand, update.op_a, rows, k);
}

Tile rank_second(const Problem& update, OperandId operand, const Part& k, const Part& cols) {
    const bool own = update.routine == Routine::gemmt;
    return stored_tile(operand, own ? update.op_b : flipped(update.op_a, update.routine), k, cols);
}

Part span_of(const std::vector<Part>& parts) {
    return {parts.front().first, parts.back().first + parts.back().count - parts.front().first};
}

Part first_of(const std::vector<Part>& parts, std::size_t count) {
    const Part& last = parts[std::min(count, parts.size()) - 1];
    return {parts.front().first, last.first + last.count - parts.front().first};
}

}  // namespace gemmill
