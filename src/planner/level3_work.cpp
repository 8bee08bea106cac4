// SPDX-License-Identifier: Apache-2.0
#include "planner/level3_work.hpp"

#include <algorithm>

#include "plan/form.hpp"

namespace gemmill {

namespace {

/// About a quarter and a half of a size with a taper of 2.
std::vector<Part> small_ones(index_t whole, index_t size, int taper) {
    constexpr index_t least = 128, block = 256, fine = 64;  // kernels like whole blocks
    std::vector<Part> parts;
    index_t first = 0;
    for (int halvings = taper; halvings > 0; --halvings) {
        const index_t half = size >> halvings;
        const index_t step = half >= block ? block : half >= least ? fine : 1;
        const index_t part = (half + step / 2) / step * step;
        if (part < least || first + part + size / 2 > whole) continue;
        parts.push_back({first, part});
        first += part;
    }
    return parts;
}

index_t sum_of(const std::vector<Part>& parts) {
    index_t sum = 0;
    for (const Part& part : parts) sum += part.count;
    return sum;
}

std::vector<Part> turned(std::vector<Part> parts, index_t whole) {
    for (Part& part : parts) part.first = whole - part.first - part.count;
    std::ranges::reverse(parts);
    return parts;
}

}  // namespace

index_t equal_part(index_t whole, index_t most) {
    constexpr index_t block = 256;
    const index_t count = std::max<index_t>(1, (whole + most - 1) / most);
    const index_t equal = (whole + count - 1) / count, step = equal >= block ? block : 1;
    return std::min(most, (equal + step - 1) / step * step);
}

std::vector<Part> cut_from_small(index_t whole, index_t size, int taper) {
    std::vector<Part> parts = small_ones(whole, size, taper);
    const index_t first = sum_of(parts), rest = whole - first;
    const index_t each = parts.empty() ? size : equal_part(rest, size);
    for (const Part& part : cut_by_size({first, rest}, each)) parts.push_back(part);
    return parts;
}

std::vector<Part> cut_to_small(index_t whole, index_t size, int taper) {
    return turned(cut_from_small(whole, size, taper), whole);
}

std::vector<Part> cut_lines(index_t whole, index_t size, int tail) {
    std::vector<Part> parts = small_ones(whole, size, tail);
    const index_t first = sum_of(parts);
    for (const Part& part : cut_by_size({first, whole - first}, size)) parts.push_back(part);
    return turned(std::move(parts), whole);
}

index_t parts_within(const std::vector<Part>& parts, double share) {
    const auto all = static_cast<double>(sum_of(parts));
    double before = 0;
    index_t count = 0;
    for (const Part& part : parts) {
        const auto size = static_cast<double>(part.count);
        if (before + size / 2 > share * all) break;
        before += size;
        ++count;
    }
    return count;
}

std::vector<Target> targets_of(const Problem& p, const Cut& cut) {
    if (writes_triangle(p.routine)) return rank_targets(p, cut);
    return is_in_place(p.routine) ? triangular_targets(p, cut) : symm_targets(p, cut);
}

}  // namespace gemmill
