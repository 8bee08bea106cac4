// SPDX-License-Identifier: Apache-2.0
// What the CPU reaches beside GPUs. Its part of the target is narrow where it is slow, and a host
// BLAS does much packing then; how much depends on the lines that its part has, and on how many
// threads share them.
#pragma once

#include <vector>

#include "backend/joined/session.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// Products with m rows and a sum over k, of which each has so many columns.
struct NarrowProducts {
    index_t m = 0, k = 0;
    std::vector<index_t> lines;  ///< rising
};
/// Those that tell what so many threads reach of a part of any size.
NarrowProducts narrow_products(int threads);

/// flop/s of doubles, for each of the products: the fastest of a few calls after one that starts
/// threads. More columns are not slower: where they seem to be, something else disturbed them.
std::vector<double> measured_rates(const CpuKernels& cpu, const NarrowProducts& products);

/// Cores that are left to submit to GPUs and to see what they have done.
int cores_left(int cores);

}  // namespace gemmill
