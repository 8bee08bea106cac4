// SPDX-License-Identifier: Apache-2.0
#include "rank/cluster/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmill/error.hpp"
#include "machine/sharing.hpp"

namespace gemmill {
namespace {

index_t divided(index_t size, index_t part) { return (size + part - 1) / part; }

/// Columns of the device that has most.
index_t widest(const NodeShare& node, index_t tile, index_t cols) {
    return std::min(cols, divided(divided(cols, tile), node.devices) * tile);
}

double product(double a, double b, double c) { return a * b * c; }

double compute_seconds(const NodeShare& node, const DeviceTiles& tiles, const StageShape& x) {
    const auto cols = static_cast<double>(widest(node, tiles.tile, x.cols));
    return flops_per_fma(tiles.type) *
           product(static_cast<double>(x.rows), cols, static_cast<double>(x.depth)) / node.peak;
}

}  // namespace

NodeShare share_of_rank(const Cluster& cluster, const Machine& node, Type type) {
    NodeShare share;
    share.devices = static_cast<int>(node.devices.size()) / cluster.ranks;
    const Device& first = node.devices.front();
    share.peak = first.peak[static_cast<std::size_t>(type)];
    require(share.peak > 0, Code::bad_argument, "a type that the devices compute",
            fmt::format("the devices of {}", node.name));
    share.memory = node.memories[static_cast<std::size_t>(first.memory)].capacity;
    const MemoryId host = find_memory(node, "host");
    std::vector<LinkId> links;
    for (int i = 0; i < share.devices; ++i)
        links.push_back(find_link(node, host, node.devices[static_cast<std::size_t>(i)].memory));
    share.host = aggregate_bandwidth(node, links) / share.devices;
    share.startup = node.links[static_cast<std::size_t>(links.front())].latency + first.launch;
    share.host_memory = node.memories[static_cast<std::size_t>(host)].capacity / cluster.ranks;
    if (share.devices > 1) {
        const LinkId peer = find_link(node, first.memory, node.devices[1].memory);
        share.peer = peer < 0 ? 0 : node.links[static_cast<std::size_t>(peer)].bandwidth;
    }
    return share;
}

StageLoads loads_of(const NodeShare& node, const DeviceTiles& tiles, const StageShape& x) {
    const auto rows = static_cast<double>(x.rows), depth = static_cast<double>(x.depth);
    const auto cols = static_cast<double>(widest(node, tiles.tile, x.cols));
    // Every device needs all of A; one gets a tile from the host, the others from that one.
    const double shared = node.peer > 0 ? static_cast<double>(node.devices - 1) / node.devices : 0;
    StageLoads loads;
    loads.from_peers = rows * depth * shared;
    loads.from_host = rows * depth * (1 - shared) + depth * cols;
    loads.of_c = x.first ? rows * cols : 0;
    return loads;
}

double seconds_of(const NodeShare& node, const DeviceTiles& tiles, const StageShape& x) {
    if (x.rows == 0 || x.cols == 0 || x.depth == 0) return 0;
    const auto size = static_cast<double>(bytes_of(tiles.type));
    const StageLoads loads = loads_of(node, tiles, x);
    const double compute = compute_seconds(node, tiles, x);
    const double peers = node.peer > 0 ? size * loads.from_peers / node.peer : 0;
    const double tile = size * std::pow(static_cast<double>(tiles.tile), 2);
    const double begin = node.startup + 2 * tile / node.host;
    const double one_of_k = compute / static_cast<double>(divided(x.depth, tiles.tile));
    const double c = size * static_cast<double>(x.rows) *
                     static_cast<double>(widest(node, tiles.tile, x.cols)) / node.host;
    const double exposed = std::max(0.0, c - one_of_k) * (int{x.first} + int{x.last});
    return begin + std::max({compute, size * loads.from_host / node.host, peers}) + exposed;
}

PaperBlocks paper_blocks(const NodeShare& node, const DeviceTiles& tiles, index_t rows,
                         index_t cols, index_t k) {
    const index_t t = tiles.tile;
    const index_t fit = node.memory / (t * t * bytes_of(tiles.type));
    const index_t down = divided(rows, t), along = divided(cols, t), deep = divided(k, t);
    const auto width = [&](index_t c) { return divided(c, node.devices); };
    index_t parts = 1;
    while (4 * divided(down, parts) * width(divided(along, parts)) > 3 * fit &&
           parts < std::max(down, along))
        ++parts;
    const index_t b = divided(down, parts), c = divided(along, parts);
    const index_t left = fit - b * width(c);
    const index_t d = std::min(deep, left / (b + width(c)));
    require(d >= 1, Code::out_of_memory, "smaller tiles",
            fmt::format("a device has room for {} tiles of {}", fit, t));
    // Even chunks: no last one with hardly anything to do.
    const index_t even = divided(deep, divided(deep, d));
    return {b * t, c * t, even * t, parts == 1 && even == deep};
}

}  // namespace gemmill
