// SPDX-License-Identifier: Apache-2.0
// In which order a device takes its products.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "planner/policy.hpp"

namespace gemmill {

/// One product of tiles: row and column number of the C tile, and the part of k.
struct TileProduct {
    std::int32_t i = 0, j = 0, k = 0;
    bool operator==(const TileProduct&) const = default;
};

/// The rows and columns of C tiles that a device has, and the parts of k. Without `owned` it has
/// every pair of them.
struct Share {
    std::vector<std::int32_t> rows, cols;
    std::int32_t depth = 1;
    std::vector<bool> owned;  ///< rows x cols, in their order

    bool has(std::size_t row, std::size_t col) const {
        return owned.empty() || owned[row * cols.size() + col];
    }
};

/// C tile by C tile with k innermost.
std::vector<TileProduct> natural_order(const Share& share);

/// Parts of `rows` x `cols` C tiles one after the other; within a part the first `outer` parts of k
/// go over all its tiles before the next, then each tile gets the rest of k in one go:
///
///     2 x 1 tiles, depth 4, outer 2:   C0 k0, C1 k0, C0 k1, C1 k1, C0 k2 k3, C1 k2 k3
std::vector<TileProduct> panel_order(const Share& share, std::int32_t rows, std::int32_t cols,
                                     std::int32_t outer);

/// Takes next the product whose tiles are there first, and when none has both, the tile that lets
/// most products start.
class Frontier {
  public:
    explicit Frontier(Share share);

    /// Tile (number, k) of A (rows of the share) or B (columns) will be there at `time`.
    void arrived(bool of_a, std::int32_t number, std::int32_t k, double time);
    /// The next product; nullopt when all are taken. Its tiles may still have to be brought.
    std::optional<TileProduct> next();

  private:
    struct Ready {
        double time;
        std::int64_t rank;  // natural order among equals
        std::size_t row, col;
        std::int32_t k;
        bool operator>(const Ready& other) const {
            return time != other.time ? time > other.time : rank > other.rank;
        }
    };
    /// Tiles of A by row, or of B by column.
    struct Side {
        std::vector<double> times;     // of arrival; negative: not there
        std::size_t count = 0;         // that are there
        std::size_t first = SIZE_MAX;  // that is there
        std::size_t gap = 0;           // first that is not

        void arrive(std::size_t i, double time);
    };
    struct Panel {
        Side a, b;
        std::size_t left = 0;  // products not taken
    };
    char& taken(std::size_t row, std::size_t col, std::int32_t k);
    TileProduct take(std::size_t row, std::size_t col, std::int32_t k);
    TileProduct open_panel(std::int32_t k);
    TileProduct open_scattered(std::int32_t k);

    Share share_;
    std::vector<Panel> panels_;
    std::vector<char> taken_;
    std::vector<std::int32_t> row_of_, col_of_;  // number -> position in the share
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
    std::int32_t first_ = 0;  // first panel with products left
};

}  // namespace gemmill
