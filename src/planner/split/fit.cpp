// SPDX-License-Identifier: Apache-2.0
#include "planner/split/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"

namespace gemmill {
namespace {

constexpr index_t depth = 2;  // panels of A and B in flight: one is used while the next arrives

struct Counts {
    index_t m, n, k;
};

index_t parts(index_t whole, index_t tile) { return (whole + tile - 1) / tile; }

Counts count_tiles(const Room& room, const TileSize& tile) {
    return {parts(room.block.rows.count, tile.m), parts(room.block.cols.count, tile.n),
            std::max<index_t>(1, parts(room.k, tile.k))};
}

Fit empty_fit(const Room& room, const TileSize& tile) {
    Fit fit;
    fit.tile = tile;
    fit.slot_bytes = {slot_bytes(tile.m, tile.k, room.type, room.grain),
                      slot_bytes(tile.k, tile.n, room.type, room.grain),
                      slot_bytes(tile.m, tile.n, room.type, room.grain)};
    return fit;
}

/// Tiles that live on the device need no copy, but a local C needs a place for its sums unless one
/// step makes each of them.
bool needs_copy(const Room& room, const TileSize& tile, std::size_t operand) {
    if (operand == 2) return !room.local[2] || tile.k < room.k;
    return !room.local[operand] && room.k > 0;
}

/// Sets the slots that are needed and returns their bytes.
std::int64_t take_slots(Fit& fit, const Room& room, std::array<index_t, 3> slots) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        fit.slots[i] = needs_copy(room, fit.tile, i) ? slots[i] : 0;
        if (i == 2 && fit.slots[i] > 0) fit.slots[i] += room.extra_c;
        bytes += fit.slots[i] * fit.slot_bytes[i];
    }
    return bytes;
}

/// Everything resident, when it fits.
std::optional<Fit> fit_whole(const Room& room, const TileSize& tile) {
    Fit fit = empty_fit(room, tile);
    const Counts count = count_tiles(room, tile);
    fit.whole = true;
    fit.rows = count.m;
    fit.cols = count.n;
    const std::int64_t bytes =
        take_slots(fit, room, {count.m * count.k, count.k * count.n, count.m * count.n});
    if (!room.keep_all || bytes > room.limit) return std::nullopt;
    return fit;
}

/// Bytes of A and B per element of C computed fall with the harmonic mean of the resident part.
double reuse(const Room& room, const Fit& fit) {
    const auto rows = static_cast<double>(std::min(fit.rows * fit.tile.m, room.block.rows.count));
    const auto cols = static_cast<double>(std::min(fit.cols * fit.tile.n, room.block.cols.count));
    return rows * cols / (rows + cols);
}

/// The part of C with the most reuse that fits beside `panels` panels of A and B.
std::optional<Fit> fit_panels(const Room& room, const TileSize& tile, index_t panels) {
    const Counts count = count_tiles(room, tile);
    std::optional<Fit> best;
    for (index_t rows = 1; rows <= count.m; ++rows) {
        Fit fit = empty_fit(room, tile);
        const std::int64_t fixed = take_slots(fit, room, {panels * rows, 0, 0});
        const std::int64_t column = take_slots(fit, room, {0, panels, rows});
        const std::int64_t left = room.limit - fixed;
        const index_t cols = column == 0 ? count.n : std::min(count.n, left / column);
        if (left < 0 || cols < 1) break;
        fit.rows = rows;
        fit.cols = cols;
        take_slots(fit, room, {panels * rows, panels * cols, rows * cols});
        if (!best || reuse(room, fit) > reuse(room, *best)) best = fit;
    }
    return best;
}

std::optional<Fit> fit_part(const Room& room, const TileSize& tile) {
    if (auto fit = fit_panels(room, tile, depth)) return fit;
    return fit_panels(room, tile, 1);
}

/// Seconds to move an operand so many times in tiles whose columns have `run` elements.
double move_seconds(const Room& room, index_t rows, index_t cols, index_t times, index_t run) {
    const auto bytes = static_cast<double>(bytes_of(room.type));
    const auto elements = static_cast<double>(rows) * static_cast<double>(cols);
    const double runs = elements / static_cast<double>(std::max<index_t>(run, 1));
    return static_cast<double>(times) * (elements * bytes + runs * room.pace.run_overhead) /
           room.pace.bandwidth;
}

/// Computing or moving, whichever is slower, and at the end of each resident part the exchange of
/// its C as far as the last panel does not hide it.
double seconds_of(const Room& room, const Fit& fit) {
    const Counts count = count_tiles(room, fit.tile);
    const index_t m = room.block.rows.count, n = room.block.cols.count;
    const index_t down = parts(count.m, fit.rows), across = parts(count.n, fit.cols);
    const double work = flops_per_fma(room.type) * static_cast<double>(m) * static_cast<double>(n) *
                        static_cast<double>(room.k) / room.pace.rate;
    const double exchange = 2 * move_seconds(room, m, n, 1, fit.tile.m);
    double move = exchange;
    if (!room.local[0])
        move += move_seconds(room, m, room.k, across, room.flipped[0] ? fit.tile.k : fit.tile.m);
    if (!room.local[1])
        move += move_seconds(room, room.k, n, down, room.flipped[1] ? fit.tile.n : fit.tile.k);
    const double hidden = work / static_cast<double>(count.k);
    const double products =
        static_cast<double>(count.m) * static_cast<double>(count.n) * static_cast<double>(count.k);
    return std::max({work, move, 2 * products * room.pace.issue}) +
           std::max(0.0, exchange - hidden);
}

/// Halves m and n together and k apart; nothing is cut below the point where kernels suffer unless
/// nothing else fits.
std::optional<Fit> fit_smaller(const Room& room, const TileSize& tile) {
    constexpr index_t small = 1024, thin = 256;
    std::optional<Fit> best;
    for (index_t mn = std::max(tile.m, tile.n); mn >= 1 && !(best && mn < small); mn /= 2) {
        for (index_t k = tile.k; k >= 1; k /= 2) {
            if (best && k < thin) break;
            const TileSize size{std::min(tile.m, mn), std::min(tile.n, mn), k};
            const auto fit = fit_part(room, size);
            if (fit && (!best || seconds_of(room, *fit) < seconds_of(room, *best))) best = fit;
        }
    }
    return best;
}

/// A plan lists every product of tiles, so there must not be too many.
void check_count(const Room& room, const TileSize& tile) {
    const auto count = [](index_t whole, index_t size) {
        const index_t tiles = (std::max<index_t>(whole, 1) - 1) / size + 1;
        return static_cast<double>(tiles);
    };
    const double products = count(room.block.rows.count, tile.m) *
                            count(room.block.cols.count, tile.n) * count(room.k, tile.k);
    if (products > room.most_products)
        throw Error(Code::out_of_memory,
                    fmt::format("tiles of {} x {} x {} are too small: {:.3g} products", tile.m,
                                tile.n, tile.k, products),
                    "fewer products of tiles");
}

}  // namespace

Fit fit_in_memory(const Room& room, const TileSize& tile, bool may_shrink) {
    check_count(room, tile);
    if (const auto fit = fit_whole(room, tile)) return *fit;
    if (const auto fit = may_shrink ? fit_smaller(room, tile) : fit_part(room, tile)) {
        check_count(room, fit->tile);
        return *fit;
    }
    Fit least = empty_fit(room, may_shrink ? TileSize{1, 1, 1} : tile);
    const std::int64_t bytes = take_slots(least, room, {1, 1, 1});
    throw Error(Code::out_of_memory,
                fmt::format("{} of device memory do not hold one tile each of A, B and C",
                            human_bytes(static_cast<double>(room.limit))),
                fmt::format("{} bytes at least", bytes));
}

Fit fit_cache(const Room& room, const TileSize& tile, bool may_shrink) {
    constexpr index_t for_c = 4, least = 4;
    if (const auto fit = fit_whole(room, tile)) return *fit;
    for (TileSize size = tile; size.m * size.n * size.k > 0;
         size = {size.m / 2, size.n / 2, size.k / 2}) {
        Fit fit = empty_fit(room, size);
        const std::int64_t fixed = take_slots(fit, room, {0, 0, for_c});
        const std::int64_t pair = take_slots(fit, room, {1, 1, 0});
        const Counts count = count_tiles(room, size);
        const index_t slots = pair > 0 ? (room.limit - fixed) / pair : least;
        if (room.limit >= fixed && slots >= least) {
            take_slots(
                fit, room,
                {std::min(slots, count.m * count.k), std::min(slots, count.k * count.n), for_c});
            return fit;
        }
        if (!may_shrink) break;
    }
    return fit_in_memory(room, tile, may_shrink);
}

bool fits_whole(const Room& room, const TileSize& tile) {
    return fit_whole(room, tile).has_value();
}

}  // namespace gemmill
