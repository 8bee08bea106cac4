// SPDX-License-Identifier: Apache-2.0
// How a dimension is cut: true edge parts, nothing padded.
#pragma once

#include <span>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

/// A half-open part of a dimension.
struct Part {
    index_t first = 0, count = 0;
    bool operator==(const Part&) const = default;
};

/// Parts of `size` and a smaller last one; none when the whole is empty.
std::vector<Part> cut_by_size(Part whole, index_t size);

/// As many parts as there are weights, in proportion to them; every part has at least one element
/// when the whole has as many. Sizes are multiples of `grain` where that leaves no part empty.
std::vector<Part> cut_by_weight(index_t whole, std::span<const double> weights, index_t grain);

}  // namespace gemmill
