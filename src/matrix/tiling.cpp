// SPDX-License-Identifier: Apache-2.0
#include "matrix/tiling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gemmill {

std::vector<Part> cut_by_size(Part whole, index_t size) {
    std::vector<Part> parts;
    for (index_t first = 0; first < whole.count; first += size)
        parts.push_back({whole.first + first, std::min(size, whole.count - first)});
    return parts;
}

std::vector<Part> cut_by_weight(index_t whole, std::span<const double> weights, index_t grain) {
    const auto count = static_cast<index_t>(weights.size());
    if (whole < count * grain) grain = 1;
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<Part> parts;
    double sum = 0;
    index_t first = 0;
    for (index_t i = 0; i < count; ++i) {
        sum += weights[static_cast<std::size_t>(i)];
        const double wanted = static_cast<double>(whole) * sum / total / static_cast<double>(grain);
        index_t end = static_cast<index_t>(std::llround(wanted)) * grain;
        // Room for one grain in this part and in each that follows.
        const index_t rest = (count - 1 - i) * grain;
        const index_t last = std::max(first, (whole - rest) / grain * grain);
        end = std::clamp(end, std::min({first + grain, whole, last}), last);
        if (i + 1 == count) end = whole;
        parts.push_back({first, end - first});
        first = end;
    }
    return parts;
}

}  // namespace gemmill
