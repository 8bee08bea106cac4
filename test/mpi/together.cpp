// SPDX-License-Identifier: Apache-2.0
// What all ranks of a communicator do together, and what happens when one does not come.
//     mpirun -n 3 gemmill_test_together
#include "mpi/together.hpp"

#include <string>

#include "gemmill/error.hpp"
#include "rank_checks.hpp"

namespace gemmill::test {
namespace {

struct World {
    int rank = world_rank(), size = world_size();
};

constexpr double patience = 60;

void test_duplicate(const World& world) {
    MPI_Comm own = duplicate(MPI_COMM_WORLD, patience);
    int same = 0, rank = -1;
    MPI_Comm_compare(own, MPI_COMM_WORLD, &same);
    MPI_Comm_rank(own, &rank);
    expect(same == MPI_CONGRUENT, "a communicator of its own with the same ranks");
    expect(rank == world.rank, "in the same order");
    MPI_Comm_free(&own);
}

void test_least_and_all(const World& world) {
    expect(least_of_all(MPI_COMM_WORLD, 100 - world.rank, patience) == 101 - world.size,
           "the least of all numbers");
    GpuSharedBlock mine;
    mine.block[63] = static_cast<std::byte>(world.rank + 1);
    const std::vector<GpuSharedBlock> all = all_of(MPI_COMM_WORLD, mine, world.size, patience);
    expect(std::ssize(all) == world.size, "one of each rank");
    for (std::size_t r = 0; r < all.size(); ++r)
        expect(all[r].block[63] == static_cast<std::byte>(r + 1), "in the order of ranks");
}

void test_node(const World& world) {
    const auto memory = memory_of_node(MPI_COMM_WORLD, world.rank, world.size, patience);
    expect(memory != nullptr, "ranks of one node see one another");
    if (!memory) return;
    memory->board(world.rank).done = static_cast<std::uint64_t>(world.rank) + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < world.size; ++r)
        expect(memory->board(r).done == static_cast<std::uint64_t>(r) + 1, "and their boards");
    MPI_Barrier(MPI_COMM_WORLD);
}

/// The last rank comes when the others have given up, so that what they began can end.
void test_absent(const World& world) {
    if (world.size == 1) return;
    MPI_Comm apart = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &apart);
    if (world.rank + 1 < world.size) {
        std::string said;
        try {
            least_of_all(apart, 1, 0.2);
        } catch (const Error& error) {
            said = error.text();
        }
        expect(said.find("not all ranks") != std::string::npos, "whoever waits for it says so");
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        expect(least_of_all(apart, 1, patience) == 1, "it finds what the others began");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void check_all() {
    const World world;
    test_duplicate(world);
    test_least_and_all(world);
    test_node(world);
    test_absent(world);
}

}  // namespace
}  // namespace gemmill::test

int main(int argc, char** argv) {
    return gemmill::test::check_ranks(argc, argv, gemmill::test::check_all);
}
