// SPDX-License-Identifier: Apache-2.0
#include "planner/split/targets/targets.hpp"

#include <algorithm>

#include "task/problem.hpp"

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

}  // namespace

std::vector<Part> from_the_end(std::vector<Part> parts, index_t whole) {
    for (Part& part : parts) part.first = whole - part.first - part.count;
    return parts;
}

std::vector<Part> cut_equally(const Part& whole, index_t size) {
    constexpr index_t block = 256;
    const index_t count = (whole.count + size - 1) / size;
    const index_t step = size >= 2 * block ? block : 1;
    std::vector<Part> parts;
    index_t first = 0;
    for (index_t i = 1; i <= count; ++i) {
        const index_t end =
            i == count ? whole.count : (whole.count * i / count + step / 2) / step * step;
        if (end > first) parts.push_back({whole.first + first, end - first});
        first = end;
    }
    return parts;
}

std::vector<Part> cut_from_small(index_t whole, index_t size, int taper) {
    std::vector<Part> parts = small_ones(whole, size, taper);
    const Part rest{sum_of(parts), whole - sum_of(parts)};
    const auto others = parts.empty() ? cut_by_size(rest, size) : cut_equally(rest, size);
    parts.insert(parts.end(), others.begin(), others.end());
    return parts;
}

std::vector<Part> cut_lines(index_t whole, index_t size, int tail) {
    std::vector<Part> parts = small_ones(whole, size, tail);
    const index_t first = sum_of(parts);
    for (const Part& part : cut_by_size({first, whole - first}, size)) parts.push_back(part);
    parts = from_the_end(std::move(parts), whole);
    std::ranges::reverse(parts);
    return parts;
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

Targets targets_of(const Problem& p, const Cut& cut) {
    if (writes_triangle(p.routine)) return rank_targets(p, cut);
    return is_in_place(p.routine) ? triangular_targets(p, cut) : symm_targets(p, cut);
}

}  // namespace gemmill
