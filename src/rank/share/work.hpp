// SPDX-License-Identifier: Apache-2.0
// Who makes what of a product: rows of C, columns of C and parts of k for each rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rank/owners/brick_tree.hpp"
#include "rank/update/update.hpp"

namespace gemmill {

/// The index sets of one rank's share, by number; -1: it makes nothing.
struct WorkOfRank {
    int row = -1, col = -1, depth = -1;
};

struct Work {
    std::string name;
    std::vector<IndexSet> rows, cols, depths;  ///< of m, n and k
    /// So many sums make an element of C: k is cut into so many sets, which follow one another in
    /// `depths`, and may be cut anew for other rows or columns.
    int layers = 1;
    std::vector<WorkOfRank> of_rank;
    /// Each rank makes what it stores of C, so that no sums travel.
    bool in_place = false;
};

/// Stages whose panels lie on a device at a time, where they are copied there: one that computes,
/// and those of the last product before C is written, which is made of several stages. Where all
/// ranks see them there are more, if there is memory: A is there once, not once for each rank.
inline constexpr int uploaded_stages = 4, shared_stages = 8;

/// How a rank's share is cut: into row_blocks x col_blocks blocks of C, one after the other, each
/// the sum of stages of `depth` indices of k. A and B of `lookahead` stages are on their way while
/// one is computed.
struct RankCut {
    index_t row_blocks = 1, col_blocks = 1;
    index_t depth = 1;
    int lookahead = 1;
    /// Stages whose products may still run while the next one's inputs are put into place.
    int behind = 0;
    /// Panels are copied to the rank's device, which has room for the sums and for the panels of
    /// some stages: those of one are copied while the product of another is made.
    bool uploads = false;
    /// They lie there from the beginning, in memory of one device that all ranks see.
    bool on_device = false;
    /// The first stage is cut into some that grow, because nothing can be computed before it.
    bool grows = false;
    /// Panels lie in memory that all ranks see, where these put their parts of them.
    bool shared = false;
    /// Stages that have memory at a time.
    int places() const { return lookahead + 1 + behind; }
    /// Messages of at least so many bytes go from one rank to the next of those that need them;
    /// smaller ones go to all at once, which takes fewer hops.
    std::int64_t chain_bytes = std::int64_t{1} << 16;
    /// A chain passes its messages on in pieces of so many bytes: many enough that the cost of a
    /// message, some ten microseconds, is small beside them, few enough that a long chain fills.
    std::int64_t piece_bytes = std::int64_t{4} << 20;
};

/// C stays where it is; A and B travel.
Work stationary_c(const DistUpdate& update, int ranks);
/// op(A), or op(B), stays where it is; the other one and sums of C travel. The matrix must have no
/// replicas.
Work stationary_a(const DistUpdate& update, int ranks);
Work stationary_b(const DistUpdate& update, int ranks);
/// Each group of bricks, and each part of k, chooses its own indices by what its ranks store.
Work brick_work(const DistUpdate& update, const Bricks& bricks, int ranks);

/// What a share of the work costs the rank that has most of it, and all.
struct WorkCost {
    double flops = 0;                       ///< that it makes
    std::int64_t bytes = 0;                 ///< that it receives
    std::array<std::int64_t, 2> factors{};  ///< of these: of A and of B
    std::int64_t sums = 0;                  ///< bytes of sums of C that it makes apart from C
    std::int64_t all_bytes = 0;             ///< that all ranks that were looked at receive
};
WorkCost cost_of(const DistUpdate& update, const Work& work, int ranks);

}  // namespace gemmill
