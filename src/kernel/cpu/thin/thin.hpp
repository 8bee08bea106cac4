// SPDX-License-Identifier: Apache-2.0
// Products with a short k, which read and write C for as long as they multiply: C is read and
// written once, and beta applied while a tile of it is in registers.
#pragma once

#include <algorithm>

#include "kernel/cpu/small/small.hpp"

namespace gemmill {

/// One product in the calling thread, of s, d, c or z, any shape and k. False: nothing was done,
/// since there is no memory for packed factors (some MiB, which the thread keeps), or the type is
/// one of 16 bits.
bool thin_gemm(const GemmArgs& args, const SmallKernels& kernels) noexcept;

/// Whether thin_gemm, by vectors of 32 bytes or more, is faster than a BLAS that makes a pass over
/// C for beta, as OpenBLAS does, both in one thread. Of GemmArgs or Level3Args.
///
/// The pass takes as long as about 20 multiply-adds of each vector of C, which are k of them for
/// real elements. At 128 it is still a tenth of the time. Complex elements take two for each of k,
/// and as long as several of k for alpha and beta, so that less is gained. Complex doubles, and
/// beta 1, which needs no pass, gain where C comes from memory, since it arrives while others are
/// multiplied.
template <class Args>
bool thin_pays(const Args& g) {
    constexpr index_t narrow = 256;  // packing a factor takes as long as some lines of the other
    constexpr index_t longest = 128, longest_of_few = 32, shortest_of_few = 8;
    constexpr index_t least_c = index_t{1} << 20, beyond_caches = index_t{16} << 20;  // bytes
    if (std::min(g.m, g.n) < narrow || g.k > longest || g.k == 0) return false;
    if (is_short(g.type) || g.alpha == Scalar{}) return false;
    const bool kept = g.beta == Scalar{1, 0}, complex = is_complex(g.type);
    if (kept && complex) return false;
    if ((kept || complex) && (g.k < shortest_of_few || g.k > longest_of_few)) return false;
    const bool from_memory = kept || g.type == Type::z;
    return g.m * bytes_of(g.type) >= (from_memory ? beyond_caches : least_c) / g.n;
}

}  // namespace gemmill
