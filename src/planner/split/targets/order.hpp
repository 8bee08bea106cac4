// SPDX-License-Identifier: Apache-2.0
// Who computes which tiles of C, what of it fits a memory, and in which order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/split/targets/targets.hpp"
#include "planner/split/targets/triangles.hpp"

namespace gemmill {

/// A compute step: a target and one of its terms; -1: it is scaled.
struct Item {
    std::int32_t target = 0, term = 0;
    bool operator==(const Item&) const = default;
};

/// Whether tiles are dealt one after the other. Those of trmm and trsm, which depend on each other,
/// go row by row then, over C on the host.
bool deals_singly(const Draft& plan, const Choice& choice);
/// Numbers of targets, rising, for each of the devices. Lines of tiles across the triangle, columns
/// of a triangle or blocks of it are dealt so that all devices take the same time; or single tiles.
std::vector<std::vector<std::int32_t>> deal_targets(const Draft& plan, const Targets& targets,
                                                    const Choice& choice);
/// How the choice puts a rank update's targets into blocks.
Triangles triangles_of(const Targets& targets, const Choice& choice);

/// Slots for tiles of A, B and C.
struct Level3Fit {
    bool whole = false;   ///< everything stays, once it is there
    index_t group = 0;    ///< else: C tiles a side, or lines of trmm and trsm, that stay together
    index_t rows = 0;     ///< and tiles of those lines; 0: no lines
    Triangles triangles;  ///< or blocks of these
    std::array<index_t, 3> slots{};
    std::array<std::int64_t, 3> slot_bytes{};
};
struct Level3Room {
    MemoryId memory = -1;
    std::int64_t limit = 0;  ///< bytes
    index_t late_slots = 0;  ///< for tiles of C that wait to be added
    bool keep_all = true;    ///< hold every tile, when there is room
    Triangles triangles{};   ///< blocks of C that stay together when there is not
    index_t grain = 1;
};
/// Nothing when not even the fewest tiles fit.
std::optional<Level3Fit> fit_level3(const Problem& problem, const Targets& targets,
                                    std::span<const std::int32_t> mine, const Level3Room& room);

/// `mine` rises.
std::vector<Item> order_items(const Problem& problem, const Targets& targets,
                              std::span<const std::int32_t> mine, const Level3Fit& fit,
                              const Choice& choice);

/// Which line of tiles a target is in: lines do not depend on each other. And its place there.
index_t line_of(const Problem& problem, const Target& target);
index_t along(const Problem& problem, const Target& target);

}  // namespace gemmill
