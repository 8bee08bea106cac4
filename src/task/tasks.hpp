// SPDX-License-Identifier: Apache-2.0
// A problem as tasks: each makes one tile of the target out of terms, in the order of the sum. Who
// schedules tasks sees tiles and instructions, and never asks for a routine.
//
//   products      C_ij = keep C_ij + sum of A_il B_lj
//   rank updates  the same of a triangle; squares at the diagonal by the routine itself
//   trmm          C_i from the old C_l at and before it: nobody may write C_l before all have read
//   trsm          C_i from the new C_l before it, and then solved with the square at the diagonal
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

using TaskId = std::int32_t;

/// Sizes of tiles: rows and columns of the target, and the part of k of one term. Where A is half
/// stored k is cut as the side of the target that A stands on.
/// A rank update has squares of `cols` at the diagonal. Beside them its tiles may be taller: whole
/// panels of `rows`, a multiple of `cols` or all there are, and what the diagonal leaves of them.
/// Panels of A come whole, for long columns travel faster, and are read in parts.
/// The last lines of the target may be a strip with tiles of their own, for whoever wants another
/// part than whole tiles: columns, or rows where there are more of them, or where the triangle
/// below the diagonal is made. There is none where lines depend on each other or take several
/// products.
struct TaskTiles {
    index_t rows = 0, cols = 0, depth = 0;
    index_t strip = 0;  ///< lines of it
    /// All that meets a part of k comes at once, and is read in parts: of a rank update all rows of
    /// its factors, of trsm what A's triangle has there.
    bool together = false;
    bool operator==(const TaskTiles&) const = default;
};

struct Tasks {
    struct Range {
        std::int32_t begin = 0, count = 0;
    };
    struct Task {
        TileId target = -1;
        /// Number of its tile along both sides of the target; along a triangle both count columns.
        index_t row = 0, col = 0;
        Range terms;    ///< in `terms`, one at least; the first begins the sum
        Range after;    ///< in `others`: tasks whose new targets it reads
        Range readers;  ///< in `others`: tasks that read what it overwrites
    };

    std::vector<Operand> operands;
    Goal goal;
    std::vector<Tile> tiles;
    std::vector<TileId> whole;  ///< by tile: the one that comes to a device for it, or itself
    /// Instructions; queue and buffers are for the scheduler to set. The first of a task keeps of
    /// the old target what the goal says, or multiplies it where it is; the others add to the sum.
    std::vector<Step> terms;
    std::vector<TaskId> others;
    std::vector<Task> tasks;
    index_t strip = -1;       ///< its first line of tiles; -1: there is none
    bool strip_rows = false;  ///< these lines are rows
    bool together = false;    ///< as TaskTiles has it
};

/// By rows within columns of tiles. Every size must be 1 at least. Throws Error(out_of_memory) when
/// there are too many terms to list.
Tasks tasks_of(const Problem& problem, const TaskTiles& tiles);

/// The sizes cut to those of the problem, and alike where they must be.
TaskTiles fitted(const Problem& problem, TaskTiles tiles);

/// Whether there can be a strip, and whether it is of rows.
bool has_strip(const Problem& problem);
bool is_strip_of_rows(const Problem& problem);

/// Whether all that meets a part of k can come at once: where these are columns as A is stored, the
/// longest that there are.
bool can_come_together(const Problem& problem);

/// About how many terms tasks_of() lists.
double count_terms(const Problem& problem, const TaskTiles& tiles);

inline std::span<const Step> terms_of(const Tasks& all, const Tasks::Task& task) {
    return {all.terms.data() + task.terms.begin, static_cast<std::size_t>(task.terms.count)};
}
/// The tile that comes to a device for what a term reads.
inline TileId whole_of(const Tasks& all, const Ref& input) {
    return all.whole[static_cast<std::size_t>(input.tile)];
}
inline std::span<const TaskId> others_in(const Tasks& all, const Tasks::Range& range) {
    return {all.others.data() + range.begin, static_cast<std::size_t>(range.count)};
}

/// The first task of the chain of those that read each other's targets, new or old.
inline TaskId chain_of(const Tasks& all, TaskId task) {
    const Tasks::Task& t = all.tasks[static_cast<std::size_t>(task)];
    if (t.after.count > 0) return others_in(all, t.after).front();
    return t.readers.count > 0 ? others_in(all, t.readers).front() : task;
}

}  // namespace gemmill
