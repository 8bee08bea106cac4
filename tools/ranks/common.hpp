// SPDX-License-Identifier: Apache-2.0
// What the subcommands that run under mpirun share.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "gemmill/dist.hpp"

namespace CLI {
class App;
}

namespace gemmill::command {

using RankAction = std::function<int()>;
void add_rank_gemm(CLI::App& app, RankAction& action);
void add_rank_bench(CLI::App& app, RankAction& action);

/// Exit codes, as of the command itself.
inline constexpr int rank_ok = 0, rank_failed = 1, rank_bad_input = 2;

/// "2x3"; empty: the most square grid of all ranks, with no more rows than columns. Throws
/// Error(bad_argument).
struct GridShape {
    int rows = 1, cols = 1;
};
GridShape parse_grid(const std::string& text, int ranks);

/// rows x cols in blocks on a grid.
BlockCyclic layout_of(index_t rows, index_t cols, index_t block, const GridShape& grid);

/// A matrix of which each element depends on its place and the seed alone, whatever the grid.
template <class T>
struct LocalArray {
    BlockCyclic layout;
    std::vector<T> data;
    index_t ld = 1;
    DistMatrix<T> matrix() { return dist_matrix(layout, data.data(), ld); }
};
template <class T>
LocalArray<T> random_array(const BlockCyclic& layout, int rank, std::uint64_t seed);

/// Seconds of f, from when all ranks are there until the last one is done.
double timed(MPI_Comm comm, const std::function<void()>& f);
/// The sum, and the most, of a number over all ranks.
std::int64_t sum_over(MPI_Comm comm, std::int64_t value);
std::int64_t most_over(MPI_Comm comm, std::int64_t value);

}  // namespace gemmill::command
