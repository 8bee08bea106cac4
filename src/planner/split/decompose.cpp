// SPDX-License-Identifier: Apache-2.0
#include "planner/split/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gemmill {
namespace {

constexpr index_t grain = 64;           // blocks start at multiples of it where they can
constexpr index_t smallest_tile = 128;  // of those that are tried
constexpr index_t enough_tile = 2048;   // smaller tiles pay for their latencies
constexpr double latency_weight = 0.2;

/// Every column of the grid fetches A once, every row of it fetches B once.
double fetched(const Problem& p, const Grid& grid) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return m * static_cast<double>(grid.cols) + n * static_cast<double>(grid.rows);
}

/// Equal parts, or parts that start at multiples of the grain where they cannot be.
std::vector<Part> cut_equal(index_t whole, index_t parts) {
    const index_t step = whole % parts == 0 ? whole / parts : grain;
    return cut_by_weight(whole, std::vector<double>(static_cast<std::size_t>(parts), 1), step);
}

std::vector<Block> equal_blocks(const Problem& p, std::span<const DeviceId> devices,
                                const Grid& grid) {
    std::vector<Block> blocks;
    for (const Part& row : cut_equal(p.m, grid.rows))
        for (const Part& col : cut_equal(p.n, grid.cols))
            blocks.push_back({devices[blocks.size()], row, col});
    return blocks;
}

std::vector<Block> weighted_blocks(const Problem& p, std::span<const DeviceId> devices,
                                   std::vector<double> weights, bool by_cols) {
    const index_t whole = by_cols ? p.n : p.m;
    const auto count = std::min(static_cast<index_t>(devices.size()), whole);
    weights.resize(static_cast<std::size_t>(count));
    std::vector<Block> blocks;
    for (const Part& part : cut_by_weight(whole, weights, grain))
        blocks.push_back(
            {devices[blocks.size()], by_cols ? Part{0, p.m} : part, by_cols ? part : Part{0, p.n}});
    return blocks;
}

double count_parts(index_t whole, index_t tile) {
    return std::ceil(static_cast<double>(whole) / static_cast<double>(tile));
}

double latency_cost(index_t tile) {
    return latency_weight * static_cast<double>(enough_tile) / static_cast<double>(tile);
}

double tile_cost(std::span<const index_t> sizes, index_t tile) {
    double remainders = 0, tiles = 1;
    for (const index_t size : sizes) {
        if (size > tile && size % tile != 0)
            remainders += static_cast<double>(tile) / static_cast<double>(size);
        tiles *= count_parts(size, tile);
    }
    return remainders + 1 / tiles + latency_cost(tile);
}

}  // namespace

Grid best_grid(const Problem& p, index_t devices) {
    Grid best{1, 1};
    double least = std::numeric_limits<double>::infinity();
    for (index_t count = devices; count >= 1 && std::isinf(least); --count)
        for (index_t r = 1; r <= count; ++r) {
            const Grid grid{r, count / r};
            if (count % r != 0 || grid.rows > p.m || grid.cols > p.n) continue;
            if (fetched(p, grid) < least) {
                least = fetched(p, grid);
                best = grid;
            }
        }
    return best;
}

std::vector<Block> make_grid(const Machine& machine, const Problem& problem,
                             std::span<const DeviceId> devices, Grid grid,
                             std::span<const double> shares) {
    if (problem.m == 0 || problem.n == 0) return {};
    std::vector<double> weights(shares.begin(), shares.end());
    if (weights.empty())
        for (const DeviceId d : devices) weights.push_back(rate_of(machine, problem, d));
    const auto [slow, fast] = std::ranges::minmax(weights);
    const bool by_cols = grid.rows == 0 ? problem.n >= problem.m : grid.cols > 1;
    if (grid.rows == 0) grid = best_grid(problem, static_cast<index_t>(devices.size()));
    if (fast <= 1.05 * slow) return equal_blocks(problem, devices, grid);
    return weighted_blocks(problem, devices, std::move(weights), by_cols);
}

namespace {

/// The tile of least cost, among equal ones the smallest, from `first` down. Between two numbers of
/// tiles the cost is that of remainders, which grows with the tile, and of latencies, which fall:
/// least at an end or where both change alike. So only those are looked at, and smaller tiles no
/// more once their latencies alone cost more than the best.
class LeastCost {
  public:
    LeastCost(std::span<const index_t> sizes, index_t least, index_t first)
        : sizes_(sizes), smallest_(least), first_(first) {}

    index_t find() {
        look_at(first_);
        look_at(smallest_);
        for (const index_t size : sizes_) look_at_ends(size);
        for (const index_t up_to : sizes_) look_where_both_change_alike(up_to);
        return best_;
    }

  private:
    void look_at(index_t tile) {
        if (tile < smallest_ || tile > first_ || latency_cost(tile) > least_) return;
        const double cost = tile_cost(sizes_, tile);
        if (cost > least_ || (cost == least_ && tile > best_)) return;
        least_ = cost;
        best_ = tile;
    }

    /// The smallest tiles that cut a size into so many, and the largest that cut it into one more.
    void look_at_ends(index_t size) {
        for (index_t count = 1; count <= size; ++count) {
            const index_t tile = (size - 1) / count + 1;
            if (tile < smallest_ || latency_cost(tile) > least_) return;
            look_at(tile);
            look_at(tile - 1);
        }
    }

    /// Of tiles smaller than the sizes from this one up, which have remainders.
    void look_where_both_change_alike(index_t up_to) {
        double remainder = 0;  // for each row or column of a tile
        for (const index_t size : sizes_)
            if (size >= up_to) remainder += 1 / static_cast<double>(size);
        const auto tile = static_cast<index_t>(
            std::sqrt(latency_weight * static_cast<double>(enough_tile) / remainder));
        look_at(tile);
        look_at(tile + 1);
    }

    std::span<const index_t> sizes_;
    index_t smallest_, first_, best_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
};

index_t least_cost_edge(const TileRule& rule, index_t largest) {
    const index_t sizes[] = {rule.rows.count, rule.cols.count, std::max<index_t>(rule.k, 1)};
    // Beyond this the cost can only be the last term of ever fewer tiles.
    const index_t first = std::min(largest, 8 * enough_tile);
    return LeastCost(sizes, std::min(smallest_tile, largest), first).find();
}

index_t many_products_edge(const TileRule& rule, index_t smallest) {
    constexpr double enough = 32;
    constexpr index_t least = 1000;
    for (index_t q = 1;; ++q) {
        const index_t edge = (smallest + q - 1) / q;
        if (smallest % q != 0 && edge > least) continue;
        const double products = count_parts(rule.m, edge) * count_parts(rule.n, edge) *
                                count_parts(std::max<index_t>(rule.k, 1), edge);
        const bool next_too_small = smallest / (q + 1) < least;
        if (products >= enough * static_cast<double>(rule.devices) || next_too_small) return edge;
    }
}

}  // namespace

index_t choose_edge(const TileRule& rule) {
    constexpr index_t fixed_edge = 1600;
    const index_t k = std::max<index_t>(rule.k, 1);
    const index_t smallest = std::min({rule.m, rule.n, k});
    const index_t largest = std::max(rule.rows.count, rule.cols.count);
    index_t edge = fixed_edge;
    switch (rule.tiling) {
        case Tiling::cost:
            edge = least_cost_edge(rule, largest);
            break;
        case Tiling::capped:
            edge = least_cost_edge(rule, std::min({rule.rows.count, rule.cols.count, k}));
            break;
        case Tiling::quarter:
            edge = smallest / 4;
            break;
        case Tiling::many:
            edge = many_products_edge(rule, smallest);
            break;
        case Tiling::fixed:
            break;
    }
    // A thin k must not cut C into crumbs.
    return std::max(edge, std::min(smallest_tile, largest));
}

}  // namespace gemmill
