// SPDX-License-Identifier: Apache-2.0
#include "ranks/common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "gemmill/error.hpp"
#include "matrix/distribution.hpp"

namespace gemmill::command {
namespace {

double value_of(std::uint64_t seed, index_t row, index_t col) {
    const std::uint64_t x =
        mixed(mixed(seed, static_cast<std::uint64_t>(row)), static_cast<std::uint64_t>(col));
    return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

template <class T>
T element_of(std::uint64_t seed, index_t row, index_t col) {
    using R = real_t<T>;
    if constexpr (is_complex(type_of<T>))
        return T(static_cast<R>(value_of(seed, row, col)),
                 static_cast<R>(value_of(seed + 1, row, col)));
    else
        return static_cast<T>(value_of(seed, row, col));
}

}  // namespace

GridShape parse_grid(const std::string& text, int ranks) {
    GridShape grid;
    if (text.empty()) {
        for (int p = 1; p * p <= ranks; ++p)
            if (ranks % p == 0) grid = {p, ranks / p};
        return grid;
    }
    char rest = 0;
    const bool read = std::sscanf(text.c_str(), "%dx%d%c", &grid.rows, &grid.cols, &rest) == 2;
    require(read && grid.rows > 0 && grid.cols > 0, Code::bad_argument, "PxQ",
            fmt::format("--grid: '{}'", text));
    require(index_t{grid.rows} * grid.cols <= ranks, Code::bad_argument, "P Q <= ranks",
            fmt::format("--grid: {} has more places than the {} ranks of mpirun", text, ranks));
    return grid;
}

BlockCyclic layout_of(index_t rows, index_t cols, index_t block, const GridShape& grid) {
    BlockCyclic layout;
    layout.rows = rows, layout.cols = cols;
    layout.row_block = layout.col_block = block;
    layout.grid_rows = grid.rows, layout.grid_cols = grid.cols;
    return layout;
}

template <class T>
LocalArray<T> random_array(const BlockCyclic& layout, int rank, std::uint64_t seed) {
    const LocalShape shape = local_shape(layout, rank);
    LocalArray<T> x{layout, {}, std::max<index_t>(1, shape.rows)};
    x.data.resize(static_cast<std::size_t>(x.ld * std::max<index_t>(1, shape.cols)));
    if (shape.rows == 0 || shape.cols == 0) return x;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const Holding& part : Distribution(layout, ranks).holdings_of(rank))
        for (const IndexRun& cols : part.cols)
            for (index_t j = 0; j < cols.count; ++j)
                for (const IndexRun& rows : part.rows)
                    for (index_t i = 0; i < rows.count; ++i)
                        x.data[static_cast<std::size_t>(rows.offset + i +
                                                        (cols.offset + j) * x.ld)] =
                            element_of<T>(seed, rows.begin + i, cols.begin + j);
    return x;
}

double timed(MPI_Comm comm, const std::function<void()>& f) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    f();
    double mine = MPI_Wtime() - begin, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

std::int64_t sum_over(MPI_Comm comm, std::int64_t value) {
    std::int64_t all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all;
}

std::int64_t most_over(MPI_Comm comm, std::int64_t value) {
    std::int64_t all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_MAX, comm);
    return all;
}

template LocalArray<float> random_array(const BlockCyclic&, int, std::uint64_t);
template LocalArray<double> random_array(const BlockCyclic&, int, std::uint64_t);
template LocalArray<std::complex<float>> random_array(const BlockCyclic&, int, std::uint64_t);
template LocalArray<std::complex<double>> random_array(const BlockCyclic&, int, std::uint64_t);

}  // namespace gemmill::command
