// SPDX-License-Identifier: Apache-2.0
#include "planner/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gemmill {
namespace {

constexpr index_t grain = 64;           // blocks start at multiples of it where they can
constexpr index_t smallest_tile = 128;  // of those that are tried
constexpr index_t enough_tile = 2048;   // smaller tiles pay for their latencies
constexpr double latency_weight = 0.2;

double rate_of(const Machine& machine, const Problem& problem, DeviceId device) {
    return machine.devices[static_cast<std::size_t>(device)]
        .peak[static_cast<std::size_t>(problem.type)];
}

struct Grid {
    index_t rows = 1, cols = 1;
};

/// Every column of the grid fetches A once, every row of it fetches B once.
double fetched(const Problem& p, const Grid& grid) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
    return m * static_cast<double>(grid.cols) + n * static_cast<double>(grid.rows);
}

Grid best_grid(const Problem& p, index_t devices) {
    Grid best;
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

std::vector<Block> equal_blocks(const Problem& p, std::span<const DeviceId> devices) {
    const Grid grid = best_grid(p, static_cast<index_t>(devices.size()));
    const auto rows =
        cut_by_weight(p.m, std::vector<double>(static_cast<std::size_t>(grid.rows), 1), grain);
    const auto cols =
        cut_by_weight(p.n, std::vector<double>(static_cast<std::size_t>(grid.cols), 1), grain);
    std::vector<Block> blocks;
    for (const Part& row : rows)
        for (const Part& col : cols) blocks.push_back({devices[blocks.size()], row, col});
    return blocks;
}

std::vector<Block> weighted_blocks(const Problem& p, std::span<const DeviceId> devices,
                                   std::vector<double> weights) {
    const bool by_cols = p.n >= p.m;
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

double tile_cost(std::span<const index_t> sizes, index_t tile) {
    double remainders = 0, tiles = 1;
    for (const index_t size : sizes) {
        if (size > tile && size % tile != 0)
            remainders += static_cast<double>(tile) / static_cast<double>(size);
        tiles *= count_parts(size, tile);
    }
    const double latency =
        latency_weight * static_cast<double>(enough_tile) / static_cast<double>(tile);
    return remainders + 1 / tiles + latency;
}

}  // namespace

std::vector<Block> make_grid(const Machine& machine, const Problem& problem,
                             std::span<const DeviceId> devices) {
    if (problem.m == 0 || problem.n == 0) return {};
    std::vector<double> rates;
    for (const DeviceId d : devices) rates.push_back(rate_of(machine, problem, d));
    const auto [slow, fast] = std::ranges::minmax(rates);
    if (fast <= 1.05 * slow) return equal_blocks(problem, devices);
    return weighted_blocks(problem, devices, std::move(rates));
}

TileSize choose_tile(Part rows, Part cols, index_t k) {
    const index_t sizes[] = {rows.count, cols.count, std::max<index_t>(k, 1)};
    const index_t largest = std::max(rows.count, cols.count);
    index_t best = largest;
    double least = std::numeric_limits<double>::infinity();
    for (index_t tile = std::min(smallest_tile, largest); tile <= largest; ++tile) {
        const double cost = tile_cost(sizes, tile);
        if (cost < least) {
            least = cost;
            best = tile;
        }
        // Beyond this the cost can only be the last term of ever fewer tiles.
        if (tile >= 8 * enough_tile) break;
    }
    return {std::min(best, sizes[0]), std::min(best, sizes[1]), std::min(best, sizes[2])};
}

}  // namespace gemmill
