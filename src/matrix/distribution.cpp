// SPDX-License-Identifier: Apache-2.0
#include "matrix/distribution.hpp"

#include <algorithm>
#include <string>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// One dimension of a block-cyclic matrix.
struct Axis {
    index_t size, first, block;
    int source, parts;
};

Axis row_axis(const BlockCyclic& x) {
    return {x.rows, x.first_row_block == 0 ? x.row_block : x.first_row_block, x.row_block,
            x.row_source, x.grid_rows};
}
Axis col_axis(const BlockCyclic& x) {
    return {x.cols, x.first_col_block == 0 ? x.col_block : x.first_col_block, x.col_block,
            x.col_source, x.grid_cols};
}

/// The first block of `at`, counted from the source.
index_t first_block(const Axis& axis, int at) {
    return (at - axis.source + axis.parts) % axis.parts;
}
index_t begin_of(const Axis& axis, index_t block) {
    return block == 0 ? 0 : axis.first + (block - 1) * axis.block;
}

/// The indices of [from, from + count), counted from there, that `at` has.
IndexSet indices_of(const Axis& axis, int at, index_t from, index_t count) {
    if (axis.source < 0) return within(whole(axis.size), from, count);
    IndexSet set;
    index_t offset = 0;
    for (index_t block = first_block(axis, at);; block += axis.parts) {
        const index_t begin = begin_of(axis, block);
        if (begin >= std::min(axis.size, from + count)) break;
        const index_t end = std::min(axis.size, begin_of(axis, block + 1));
        const index_t low = std::max(begin, from), high = std::min(end, from + count);
        if (low < high) set.push_back({low - from, high - low, offset + low - begin});
        offset += end - begin;
    }
    // One rank has neighbouring blocks.
    return axis.parts == 1 ? within(set, 0, count) : set;
}

void require_axis(const Axis& axis, const char* dimension) {
    const std::string what = dimension;
    require(axis.size >= 0, Code::bad_argument, "size >= 0", what + ": negative size");
    require(axis.block >= 1 && axis.first >= 1, Code::bad_argument, "block >= 1",
            what + ": blocks without elements");
    require(axis.parts >= 1, Code::bad_argument, "grid >= 1", what + ": a grid without ranks");
    require(axis.source >= -1 && axis.source < axis.parts, Code::bad_argument,
            "-1 <= source < grid", what + ": a source that is not in the grid");
}

void require_cuts(const std::vector<index_t>& cuts, const char* dimension) {
    require(!cuts.empty() && cuts.front() == 0 && std::ranges::is_sorted(cuts), Code::bad_argument,
            "0 = cut <= cut <= ...", std::string(dimension) + ": cuts that are not in order");
}

IndexSet cut(const std::vector<index_t>& cuts, std::size_t block, index_t from, index_t count) {
    const IndexSet all{{cuts[block], cuts[block + 1] - cuts[block], 0}};
    return within(all, from, count);
}

}  // namespace

index_t local_size(index_t size, index_t block, int at, int source, int parts, index_t first) {
    const Axis axis{size, first == 0 ? block : first, block, source, parts};
    require_axis(axis, "local size");
    require(at >= 0 && at < parts, Code::bad_argument, "0 <= at < parts", "local size: no place");
    return total(indices_of(axis, at, 0, size));
}

int rank_at(const BlockCyclic& x, int row, int col) {
    if (!x.ranks.empty())
        return x.ranks[static_cast<std::size_t>(row) * static_cast<std::size_t>(x.grid_cols) +
                       static_cast<std::size_t>(col)];
    return x.order == RankOrder::RowMajor ? row * x.grid_cols + col : col * x.grid_rows + row;
}

LocalShape local_shape(const BlockCyclic& x, int rank) {
    for (int row = 0; row < x.grid_rows; ++row)
        for (int col = 0; col < x.grid_cols; ++col)
            if (rank_at(x, row, col) == rank)
                return {total(indices_of(row_axis(x), row, 0, x.rows)),
                        total(indices_of(col_axis(x), col, 0, x.cols))};
    return {};
}

Distribution::Distribution(const BlockCyclic& cyclic, int ranks)
    : cyclic_(cyclic), place_(static_cast<std::size_t>(ranks), -1) {
    require_axis(row_axis(cyclic), "rows");
    require_axis(col_axis(cyclic), "columns");
    const index_t places = index_t{cyclic.grid_rows} * cyclic.grid_cols;
    require(places <= ranks, Code::bad_argument, "grid_rows * grid_cols <= ranks",
            "a grid with more places than there are ranks");
    require(cyclic.ranks.empty() || static_cast<index_t>(cyclic.ranks.size()) == places,
            Code::bad_argument, "a rank for each place", "ranks of the grid");
    for (int row = 0; row < cyclic.grid_rows; ++row)
        for (int col = 0; col < cyclic.grid_cols; ++col) {
            const int rank = rank_at(cyclic, row, col);
            require(rank >= 0 && rank < ranks && place_[static_cast<std::size_t>(rank)] < 0,
                    Code::bad_argument, "each rank once", "ranks of the grid");
            place_[static_cast<std::size_t>(rank)] = row * cyclic.grid_cols + col;
        }
    rows_ = cyclic.rows, cols_ = cyclic.cols;
}

Distribution::Distribution(const BlockGrid& grid, int ranks) : blocks_(grid) {
    require_cuts(grid.row_cuts, "rows");
    require_cuts(grid.col_cuts, "columns");
    require(!grid.owners.empty() &&
                grid.owners.size() == (grid.row_cuts.size() - 1) * (grid.col_cuts.size() - 1),
            Code::bad_argument, "an owner for each block", "owners of blocks");
    for (const int owner : grid.owners)
        require(owner >= 0 && owner < ranks, Code::bad_argument, "0 <= owner < ranks",
                "a block that no rank has");
    rows_ = grid.row_cuts.back(), cols_ = grid.col_cuts.back();
}

Distribution Distribution::part(index_t row, index_t col, index_t rows, index_t cols) const {
    require(row >= 0 && col >= 0 && rows >= 0 && cols >= 0 && row <= rows_ - rows &&
                col <= cols_ - cols,
            Code::bad_argument, "a part of the matrix", "a sub-matrix beyond its matrix");
    Distribution result = *this;
    result.row_ += row, result.col_ += col;
    result.rows_ = rows, result.cols_ = cols;
    return result;
}

GridPlace Distribution::place_of(int rank) const {
    if (!is_product() || static_cast<std::size_t>(rank) >= place_.size()) return {};
    const int place = place_[static_cast<std::size_t>(rank)];
    if (place < 0) return {};
    return {place / cyclic_.grid_cols, place % cyclic_.grid_cols};
}

IndexSet Distribution::rows_of(int grid_row) const {
    return indices_of(row_axis(cyclic_), grid_row, row_, rows_);
}
IndexSet Distribution::cols_of(int grid_col) const {
    return indices_of(col_axis(cyclic_), grid_col, col_, cols_);
}

bool Distribution::has_replicas() const {
    return is_product() && (cyclic_.row_source < 0 || cyclic_.col_source < 0);
}

std::vector<index_t> Distribution::blocks_of(int rank) const {
    std::vector<index_t> mine;
    for (std::size_t block = 0; block < blocks_.owners.size(); ++block)
        if (blocks_.owners[block] == rank) mine.push_back(static_cast<index_t>(block));
    return mine;
}

std::vector<Holding> Distribution::holdings_of(int rank) const {
    if (is_product()) {
        const GridPlace place = place_of(rank);
        if (place.row < 0) return {};
        return {{rows_of(place.row), cols_of(place.col), 0}};
    }
    std::vector<Holding> holdings;
    const std::size_t down = blocks_.row_cuts.size() - 1;
    for (const index_t block : blocks_of(rank)) {
        const auto at = static_cast<std::size_t>(block);
        Holding holding{cut(blocks_.row_cuts, at % down, row_, rows_),
                        cut(blocks_.col_cuts, at / down, col_, cols_), block};
        if (!holding.rows.empty() && !holding.cols.empty()) holdings.push_back(std::move(holding));
    }
    return holdings;
}

bool Distribution::serves(int holder, int reader) const {
    if (!has_replicas()) return true;
    const GridPlace here = place_of(holder);
    GridPlace there = place_of(reader);
    // Readers outside the grid spread over the replicas.
    if (there.row < 0) there = {reader % cyclic_.grid_rows, reader % cyclic_.grid_cols};
    return (cyclic_.row_source >= 0 || here.row == there.row) &&
           (cyclic_.col_source >= 0 || here.col == there.col);
}

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
    // The finaliser of splitmix64, which spreads every bit over all others.
    std::uint64_t x = digest + 0x9e3779b97f4a7c15U + value;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

std::uint64_t Distribution::digest() const {
    std::uint64_t digest = 0;
    const auto add = [&](index_t value) {
        digest = mixed(digest, static_cast<std::uint64_t>(value));
    };
    for (const index_t x : {row_, col_, rows_, cols_}) add(x);
    if (is_product()) {
        for (const Axis& x : {row_axis(cyclic_), col_axis(cyclic_)})
            for (const index_t y : {x.size, x.first, x.block, index_t{x.source}, index_t{x.parts}})
                add(y);
        for (const int place : place_) add(place);
    }
    for (const index_t x : blocks_.row_cuts) add(x);
    for (const index_t x : blocks_.col_cuts) add(x);
    for (const int x : blocks_.owners) add(x);
    return digest;
}

}  // namespace gemmill
