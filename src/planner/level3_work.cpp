// SPDX-License-Identifier: Apache-2.0
#include "planner/level3_work.hpp"

#include <algorithm>

#include "plan/form.hpp"

namespace gemmill {

std::vector<Part> cut_from_small(index_t whole, index_t size, int taper) {
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
    for (const Part& part : cut_by_size({first, whole - first}, size)) parts.push_back(part);
    return parts;
}

std::vector<Part> cut_to_small(index_t whole, index_t size, int taper) {
    std::vector<Part> parts = cut_from_small(whole, size, taper);
    for (Part& part : parts) part.first = whole - part.first - part.count;
    std::ranges::reverse(parts);
    return parts;
}

index_t parts_within(const std::vector<Part>& parts, double share) {
    double all = 0, before = 0;
    for (const Part& part : parts) all += static_cast<double>(part.count);
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
