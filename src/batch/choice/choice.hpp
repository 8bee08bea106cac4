// SPDX-License-Identifier: Apache-2.0
// Which candidates of a space are worth compiling for products of a shape, and their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/choice/space.hpp"

namespace gemmill {

/// What a GPU does a second: an H200, about.
struct GpuRates {
    double memory = 4.2e12, cache = 7e12, shared = 29e12;  ///< bytes
    double multiply = 60e12;  ///< flops of instructions with 16 rows; with 8 it is half
};

struct BatchShape {
    index_t m = 0, n = 0, k = 0;
    bool operator==(const BatchShape&) const = default;
};

/// Seconds of one product, about: memory, a part of what caches, shared memory and arithmetic take,
/// and steps that only other blocks hide. Only good for putting candidates in order.
double seconds_about(const PipeCandidate& candidate, Type type, const BatchShape& shape,
                     const GpuLimits& limits = {}, const GpuRates& rates = {});

/// At most so many that can make a shape, the most promising first; not all of one kind: a quarter
/// at most has the same tile.
std::vector<PipeCandidate> choose(const std::vector<PipeCandidate>& all, Type type,
                                  const BatchShape& shape, std::size_t most,
                                  const GpuLimits& limits = {});

/// One word with all parameters: "pipe_16_8_2_4_2_2_16_3", "warp_8_8_3_3".
std::string name_of(const PipeCandidate& candidate);
/// nullopt where it is no such word.
std::optional<PipeCandidate> candidate_named(std::string_view name);

/// A row of Kernel (kernel/cuda/one_shape/kernel.hpp) as C++, where T is the type.
std::string row_of(const PipeCandidate& candidate, Type type, const GpuLimits& limits = {});

}  // namespace gemmill
