// SPDX-License-Identifier: Apache-2.0
#include "planner/split/sequence.hpp"

#include <algorithm>
#include <tuple>

namespace gemmill {
namespace {

constexpr double absent = -1;

std::vector<std::int32_t> positions(const std::vector<std::int32_t>& numbers) {
    std::vector<std::int32_t> at;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto n = static_cast<std::size_t>(numbers[i]);
        if (n >= at.size()) at.resize(n + 1, -1);
        at[n] = static_cast<std::int32_t>(i);
    }
    return at;
}

}  // namespace

std::vector<TileProduct> natural_order(const Share& share) { return panel_order(share, 1, 1, 0); }

std::vector<TileProduct> panel_order(const Share& share, std::int32_t rows, std::int32_t cols,
                                     std::int32_t outer) {
    std::vector<TileProduct> order;
    const auto m = static_cast<std::int32_t>(share.rows.size());
    const auto n = static_cast<std::int32_t>(share.cols.size());
    outer = std::min(outer, share.depth);
    const auto part = [&](std::int32_t i0, std::int32_t j0, auto&& visit) {
        for (std::int32_t i = i0; i < std::min(m, i0 + rows); ++i)
            for (std::int32_t j = j0; j < std::min(n, j0 + cols); ++j)
                if (share.has(static_cast<std::size_t>(i), static_cast<std::size_t>(j)))
                    visit(share.rows[static_cast<std::size_t>(i)],
                          share.cols[static_cast<std::size_t>(j)]);
    };
    for (std::int32_t i0 = 0; i0 < m; i0 += rows)
        for (std::int32_t j0 = 0; j0 < n; j0 += cols) {
            for (std::int32_t k = 0; k < outer; ++k)
                part(i0, j0, [&](std::int32_t i, std::int32_t j) { order.push_back({i, j, k}); });
            part(i0, j0, [&](std::int32_t i, std::int32_t j) {
                for (std::int32_t k = outer; k < share.depth; ++k) order.push_back({i, j, k});
            });
        }
    return order;
}

Frontier::Frontier(Share share)
    : share_(std::move(share)),
      panels_(static_cast<std::size_t>(share_.depth)),
      taken_(share_.rows.size() * share_.cols.size() * panels_.size()),
      row_of_(positions(share_.rows)),
      col_of_(positions(share_.cols)) {
    std::size_t tiles = 0;
    for (std::size_t i = 0; i < share_.rows.size(); ++i)
        for (std::size_t j = 0; j < share_.cols.size(); ++j) tiles += share_.has(i, j) ? 1 : 0;
    for (Panel& panel : panels_) {
        panel.a.times.assign(share_.rows.size(), absent);
        panel.b.times.assign(share_.cols.size(), absent);
        panel.left = tiles;
    }
}

char& Frontier::taken(std::size_t row, std::size_t col, std::int32_t k) {
    return taken_[(static_cast<std::size_t>(k) * share_.rows.size() + row) * share_.cols.size() +
                  col];
}

void Frontier::arrived(bool of_a, std::int32_t number, std::int32_t k, double time) {
    const auto& at = of_a ? row_of_ : col_of_;
    if (static_cast<std::size_t>(number) >= at.size() || at[static_cast<std::size_t>(number)] < 0)
        return;
    const auto own = static_cast<std::size_t>(at[static_cast<std::size_t>(number)]);
    Panel& panel = panels_[static_cast<std::size_t>(k)];
    Side& side = of_a ? panel.a : panel.b;
    if (side.times[own] >= 0) return;
    side.arrive(own, std::max(0.0, time));
    const double mine = side.times[own];
    const auto& others = (of_a ? panel.b : panel.a).times;
    for (std::size_t o = 0; o < others.size(); ++o) {
        const std::size_t row = of_a ? own : o, col = of_a ? o : own;
        if (others[o] < 0 || !share_.has(row, col) || taken(row, col, k)) continue;
        const auto rank = static_cast<std::int64_t>(&taken(row, col, k) - taken_.data());
        ready_.push({std::max(mine, others[o]), rank, row, col, k});
    }
}

TileProduct Frontier::take(std::size_t row, std::size_t col, std::int32_t k) {
    taken(row, col, k) = 1;
    --panels_[static_cast<std::size_t>(k)].left;
    return {share_.rows[row], share_.cols[col], k};
}

std::optional<TileProduct> Frontier::next() {
    while (!ready_.empty()) {
        const Ready r = ready_.top();
        ready_.pop();
        if (!taken(r.row, r.col, r.k)) return take(r.row, r.col, r.k);
    }
    while (first_ < share_.depth && panels_[static_cast<std::size_t>(first_)].left == 0) ++first_;
    if (first_ == share_.depth) return std::nullopt;
    return open_panel(first_);
}

/// A product that lacks one tile, the one that more products wait for; or the first that is left.
/// Products with both tiles are taken by now, and the others are left.
TileProduct Frontier::open_panel(std::int32_t k) {
    if (!share_.owned.empty()) return open_scattered(k);
    const Panel& panel = panels_[static_cast<std::size_t>(k)];
    const Side &a = panel.a, &b = panel.b;
    using Pick = std::tuple<std::size_t, std::size_t, std::size_t>;  // most gain, then the first
    Pick best{SIZE_MAX, 0, 0};
    const auto consider = [&](std::size_t gain, std::size_t i, std::size_t j) {
        if (i < share_.rows.size() && j < share_.cols.size())
            best = std::min(best, Pick{SIZE_MAX - gain, i, j});
    };
    consider(1 + a.count, a.first, b.gap);
    consider(1 + b.count, a.gap, b.first);
    consider(1, a.gap, b.gap);
    const auto [gain, i, j] = best;
    // Devices with one memory may find tiles there that were not announced to them.
    return taken(i, j, k) ? open_scattered(k) : take(i, j, k);
}

/// The same where the share lacks some pairs: looks at all products.
TileProduct Frontier::open_scattered(std::int32_t k) {
    const Panel& panel = panels_[static_cast<std::size_t>(k)];
    std::optional<std::pair<std::size_t, std::size_t>> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < share_.rows.size(); ++i)
        for (std::size_t j = 0; j < share_.cols.size(); ++j) {
            if (!share_.has(i, j) || taken(i, j, k)) continue;
            const bool a = panel.a.times[i] >= 0, b = panel.b.times[j] >= 0;
            const std::size_t gain = 1 + (a ? panel.a.count : 0) + (b ? panel.b.count : 0);
            if (gain <= most) continue;
            most = gain;
            best = {i, j};
        }
    return take(best->first, best->second, k);
}

void Frontier::Side::arrive(std::size_t i, double time) {
    times[i] = time;
    ++count;
    first = std::min(first, i);
    while (gap < times.size() && times[gap] >= 0) ++gap;
}

}  // namespace gemmill
