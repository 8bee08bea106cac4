// SPDX-License-Identifier: Apache-2.0
// How a rank's share is cut so that it fits into memory.
#pragma once

#include "rank/share/choose.hpp"

namespace gemmill {

/// Indices of k in a stage: several times what a BLAS takes at once, so that its own blocking stays
/// whole, and few enough that panels are small beside the matrices.
inline constexpr index_t usual_depth = 1024;

/// Rows and columns of C of the rank that has most.
struct ShareSize {
    index_t rows = 0, cols = 0;
};
ShareSize largest_share(const Work& work);

/// Whether panels of all factors can lie in memory that ranks share.
bool can_share_all(const DistUpdate& update);

/// Copies that a rank has of its panels: where ranks share them there is one, else there are also
/// what was received for them and what is sent.
index_t copies_of(const DistUpdate& update, const RankCut& cut);

/// Bytes of a rank: panels for each stage under way; sums of C.
std::int64_t memory_of(const DistUpdate& update, const Work& work, const RankCut& cut,
                       const WorkCost& cost);

/// Smaller stages, then smaller blocks of C, until it fits. Returns whether it does.
bool fit(const DistUpdate& update, const Work& work, const WorkCost& cost, std::int64_t limit,
         RankCut& cut);

/// Blocks of C whose sums and panels fit into the devices, made along the dimension for which less
/// is fetched again. Returns whether they do.
bool fit_devices(const DistUpdate& update, const Work& work, const WorkCost& cost,
                 std::int64_t limit, RankCut& cut);

/// The paper's: C stays in blocks that take three quarters of the memory, d fills the rest, and
/// inputs of two stages are fetched ahead where C is split.
RankCut parsec_cut(const DistUpdate& update, const Work& work, const DistPolicy& policy);

/// What the caller asks for by number.
void set_given(const DistUpdate& update, const DistPolicy& policy, const Work& work, RankCut& cut);

}  // namespace gemmill
