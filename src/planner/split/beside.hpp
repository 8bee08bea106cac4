// SPDX-License-Identifier: Apache-2.0
// The CPU beside GPUs: it makes the last lines of C where the matrices lie, as one rectangle, for a
// host BLAS wants large ones. What is left is a smaller problem of the same routine, with its
// matrices in the first rows and columns of the whole ones, so that GPUs keep whole tiles and the
// CPU has the ragged edge.
//
//   products                 n'         rank updates      n'
//      +-------------------+----+          +------------+
//      |                   |    |          | \  GPUs    |
//      |       GPUs        |CPU |          |   \        |
//      |                   |    |       n' +-----\------+----+
//      +-------------------+----+          |    CPU     |CPU |
#pragma once

#include "planner/choice.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// Whether lines of C can be made where they lie: by one kernel each, whatever the others do.
bool can_cut_off(const Problem& problem);

/// Lines of C that can be cut off: its columns, or its rows where A stands on the right or a gemm
/// has more of them.
index_t count_lines(const Problem& problem);

/// The last lines, about this part of all flops, such that those before are whole blocks.
Beside cut_off(const Problem& problem, DeviceId cpu, double part, index_t block);

/// The problem without those lines.
Problem rest_of(const Problem& problem, const Beside& beside);

/// Adds the CPU's steps to a plan for the rest, which becomes one for the whole problem.
void add_beside(Draft& plan, const Problem& whole, const Beside& beside);

}  // namespace gemmill
