// SPDX-License-Identifier: Apache-2.0
// What all ranks of a communicator do together: a rank that does not come ends it with an Error.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "mpi/node_memory.hpp"

namespace gemmill {

/// Not MPI_Comm_dup, which waits for ever for a rank that does not come.
MPI_Comm duplicate(MPI_Comm comm, double timeout);

/// The least of a number over all ranks.
std::int64_t least_of_all(MPI_Comm comm, std::int64_t mine, double timeout);

/// What each rank has, of every rank.
std::vector<GpuSharedBlock> all_of(MPI_Comm comm, const GpuSharedBlock& mine, int size,
                                   double timeout);

/// Memory that all ranks of a communicator see; null where they do not, on all of them.
std::shared_ptr<SegmentMemory> memory_of_node(MPI_Comm comm, int rank, int size, double timeout);

}  // namespace gemmill
