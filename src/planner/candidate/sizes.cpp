// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/sizes.hpp"

#include <algorithm>

namespace gemmill {

Cut sizes_of(const Problem& p) {
    if (!reads_triangle(p.routine)) return {p.n, p.k};
    return {p.k, p.side == Side::Left ? p.n : p.m};
}

index_t tile_size(double x, index_t most) {
    constexpr index_t block = 256, fine = 64;
    const auto size = static_cast<index_t>(x);
    const index_t step = size >= 2 * block ? block : size >= 2 * fine ? fine : 1;
    return std::clamp<index_t>((size + step - 1) / step * step, 1, std::max<index_t>(1, most));
}

index_t size_of_part(index_t whole, double parts) {
    const double part = static_cast<double>(whole) / parts;
    return tile_size(std::max(part, static_cast<double>(least_edge)), whole);
}

}  // namespace gemmill
