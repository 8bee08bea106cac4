// SPDX-License-Identifier: Apache-2.0
// What programs for mpirun check with: a line for each thing that does not hold, and one result of
// all ranks.
#pragma once

#include <mpi.h>

#include <cstdio>

namespace gemmill::test {

inline int& failures() {
    static int count = 0;
    return count;
}

inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    ++failures();
}

inline int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
inline int world_size() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

/// The program: all checks, by all ranks. The exit status is the same on all of them.
inline int check_ranks(int argc, char** argv, void (*checks)()) {
    MPI_Init(&argc, &argv);
    checks();
    int all = 0;
    MPI_Allreduce(&failures(), &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank() == 0) std::printf("%d failures\n", all);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

}  // namespace gemmill::test
