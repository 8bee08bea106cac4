// SPDX-License-Identifier: Apache-2.0
#include "planner/split/deal.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "task/problem.hpp"

namespace gemmill {
namespace {

class Dealer {
  public:
    Dealer(const Draft& plan, const Policy& policy, const Choice& choice)
        : plan_(plan),
          problem_(plan.problem),
          policy_(policy),
          choice_(choice),
          used_(plan.machine.memories.size()) {}

    Deal run() {
        if (policy_.spread == Spread::grid)
            deal_blocks();
        else
            deal_singly();
        return std::move(deal_);
    }

  private:
    bool multiplies() const { return is_read(problem_, operand::A); }
    index_t depth() const { return multiplies() ? problem_.k : 1; }

    bool is_local(const Hand& h, OperandId operand) const {
        return problem_.home[static_cast<std::size_t>(operand)] == h.memory;
    }

    /// Devices that share a memory share its room.
    void add(Hand hand) {
        hand.ks =
            multiplies() ? cut_by_size({0, problem_.k}, hand.fit.tile.k) : std::vector<Part>{{}};
        hand.share.depth = static_cast<std::int32_t>(hand.ks.size());
        for (std::size_t i = 0; i < 3; ++i)
            used_[static_cast<std::size_t>(hand.memory)] +=
                hand.fit.slots[i] * hand.fit.slot_bytes[i];
        deal_.hands.push_back(std::move(hand));
    }

    Hand make_hand(DeviceId device, Part rows, Part cols) {
        Hand h;
        h.block = {device, rows, cols};
        h.memory = device_memory(plan_.machine, device);
        const auto home = problem_.home;
        h.late_c =
            is_read(problem_, operand::C) && multiplies() && !is_local(h, operand::C) &&
            (policy_.late_c == LateC::always ||
             (policy_.late_c == LateC::shared && (home[2] == home[0] || home[2] == home[1])));
        if (h.late_c) h.late_c = has_room_for_late_c(h);
        h.fit = fit(h, tile_of(h), !choice_.fixed_tile);
        return h;
    }

    Fit fit(const Hand& h, const TileSize& tile, bool may_shrink) const {
        return policy_.lru && multiplies() ? fit_cache(room_of(h), tile, may_shrink)
                                           : fit_in_memory(room_of(h), tile, may_shrink);
    }

    /// The places where C waits to be added are worth it only while nothing else has to go for
    /// them.
    bool has_room_for_late_c(const Hand& h) const { return fits_whole(room_of(h), tile_of(h)); }

    /// A device that has everything in its own memory does its block in one step, in place.
    TileSize tile_of(const Hand& h) const {
        const bool all_local =
            is_local(h, operand::C) &&
            (!multiplies() || (is_local(h, operand::A) && is_local(h, operand::B)));
        const index_t m = h.block.rows.count, n = h.block.cols.count, k = depth();
        if (all_local && !choice_.fixed_tile && policy_.spread == Spread::grid) return {m, n, k};
        // One tile for all blocks, so that the devices can share what they fetch.
        const Block& block = largest_.rows.count > 0 ? largest_ : h.block;
        TileSize t = choice_.tile;
        if (t.m == 0) {
            const index_t edge = edge_for(block.rows, block.cols);
            t = {edge, edge, edge};
        }
        return {std::min(t.m, m), std::min(t.n, n), std::min(t.k, k)};
    }

    Room room_of(const Hand& h) const {
        Room room;
        room.most_products = plan_.most_products;
        room.block = h.block;
        room.k = multiplies() ? problem_.k : 0;
        room.type = problem_.type;
        room.grain = plan_.grain;
        room.limit = plan_.limit[static_cast<std::size_t>(h.memory)] -
                     used_[static_cast<std::size_t>(h.memory)];
        room.keep_all = policy_.caching;
        room.extra_c = h.late_c ? choice_.late_slots : 0;
        room.local = {is_local(h, operand::A), is_local(h, operand::B), is_local(h, operand::C)};
        room.flipped = {problem_.op_a != Op::NoTrans, problem_.op_b != Op::NoTrans};
        room.pace = pace_of(h);
        return room;
    }

    /// The slower of the links from A and B.
    Pace pace_of(const Hand& h) const {
        Pace pace;
        pace.rate = rate_of(plan_.machine, problem_, h.block.device);
        pace.issue = plan_.machine.issue;
        pace.bandwidth = std::numeric_limits<double>::infinity();
        for (const OperandId operand : {operand::A, operand::B}) {
            const LinkId id = find_link(plan_.machine,
                                        problem_.home[static_cast<std::size_t>(operand)], h.memory);
            if (is_local(h, operand) || id < 0) continue;
            const Link& link = plan_.machine.links[static_cast<std::size_t>(id)];
            if (link.bandwidth < pace.bandwidth) {
                pace.bandwidth = link.bandwidth;
                pace.run_overhead = link.run_overhead;
            }
        }
        return pace;
    }

    using Numbers = std::map<std::pair<index_t, index_t>, std::int32_t>;  // by first and count

    /// Numbers of these parts, new ones at the end of the list.
    static std::vector<std::int32_t> number(std::vector<Part>& list, Numbers& known,
                                            const std::vector<Part>& parts) {
        std::vector<std::int32_t> numbers;
        for (const Part& part : parts) {
            const auto next = static_cast<std::int32_t>(list.size());
            const auto [it, is_new] = known.try_emplace({part.first, part.count}, next);
            if (is_new) list.push_back(part);
            numbers.push_back(it->second);
        }
        return numbers;
    }

    std::vector<Block> blocks() const {
        const auto of = [&](const Problem& p) {
            const bool fits = choice_.grid.rows <= p.m && choice_.grid.cols <= p.n;
            return make_grid(plan_.machine, p, choice_.devices, fits ? choice_.grid : Grid{},
                             choice_.shares);
        };
        return policy_.whole_tiles ? in_tiles(of) : of(problem_);
    }

    /// Blocks of whole tiles: fewer of them when there are fewer tiles than devices.
    std::vector<Block> in_tiles(const auto& blocks_of) const {
        const index_t edge = edge_for({}, {});
        Problem tiles = problem_;
        tiles.m = (problem_.m - 1) / edge + 1;
        tiles.n = (problem_.n - 1) / edge + 1;
        std::vector<Block> blocks = blocks_of(tiles);
        const auto scale = [&](Part& part, index_t whole) {
            part.first *= edge;
            part.count = std::min(part.count * edge, whole - part.first);
        };
        for (Block& block : blocks) {
            scale(block.rows, problem_.m);
            scale(block.cols, problem_.n);
        }
        return blocks;
    }

    index_t edge_for(const Part& rows, const Part& cols) const {
        if (choice_.tile.m > 0) return choice_.tile.m;
        const std::pair block(rows.count, cols.count);
        if (known_.first != block)
            known_ = {block, choose_edge({policy_.tiling, rows, cols, problem_.m, problem_.n,
                                          depth(), static_cast<index_t>(choice_.devices.size())})};
        return known_.second;
    }

    void deal_blocks() {
        const std::vector<Block> blocks = this->blocks();
        for (const Block& block : blocks) {
            largest_.rows.count = std::max(largest_.rows.count, block.rows.count);
            largest_.cols.count = std::max(largest_.cols.count, block.cols.count);
        }
        Numbers rows, cols;
        for (const Block& block : blocks) {
            Hand h = make_hand(block.device, block.rows, block.cols);
            h.share.rows = number(deal_.rows, rows, cut_by_size(block.rows, h.fit.tile.m));
            h.share.cols = number(deal_.cols, cols, cut_by_size(block.cols, h.fit.tile.n));
            add(std::move(h));
        }
    }

    /// All devices use the tile of the one with the least room.
    void deal_singly() {
        const auto devices = static_cast<index_t>(choice_.devices.size());
        const Grid grid =
            policy_.spread == Spread::cyclic ? best_grid(problem_, devices) : Grid{devices, 1};
        const auto share_of = [](index_t whole, index_t parts) {
            return Part{0, (whole + parts - 1) / parts};
        };
        const bool cyclic = policy_.spread == Spread::cyclic;
        TileSize tile{problem_.m, problem_.n, depth()};
        std::vector<Hand> all;
        for (const DeviceId device : choice_.devices) {
            all.push_back(
                make_hand(device, cyclic ? share_of(problem_.m, grid.rows) : Part{0, problem_.m},
                          cyclic ? share_of(problem_.n, grid.cols) : Part{0, problem_.n}));
            const TileSize& t = all.back().fit.tile;
            tile = {std::min(tile.m, t.m), std::min(tile.n, t.n), std::min(tile.k, t.k)};
        }
        deal_.rows = cut_by_size({0, problem_.m}, tile.m);
        deal_.cols = cut_by_size({0, problem_.n}, tile.n);
        for (std::size_t d = 0; d < all.size(); ++d) {
            Hand& h = all[d];
            h.fit = fit(h, tile, false);
            deal_to(h, static_cast<index_t>(d), grid, cyclic);
            if (h.share.rows.empty() || h.share.cols.empty()) continue;
            add(std::move(h));
        }
    }

    void deal_to(Hand& h, index_t d, const Grid& grid, bool cyclic) const {
        const auto m = static_cast<index_t>(deal_.rows.size()),
                   n = static_cast<index_t>(deal_.cols.size());
        if (cyclic) {
            if (d >= grid.rows * grid.cols) return;
            for (index_t i = d / grid.cols; i < m; i += grid.rows)
                h.share.rows.push_back(static_cast<std::int32_t>(i));
            for (index_t j = d % grid.cols; j < n; j += grid.cols)
                h.share.cols.push_back(static_cast<std::int32_t>(j));
            return;
        }
        for (index_t i = 0; i < m; ++i) h.share.rows.push_back(static_cast<std::int32_t>(i));
        for (index_t j = 0; j < n; ++j) h.share.cols.push_back(static_cast<std::int32_t>(j));
        h.share.owned.assign(static_cast<std::size_t>(m * n), false);
        for (index_t t = d; t < m * n; t += grid.rows)
            h.share.owned[static_cast<std::size_t>((t % m) * n + t / m)] = true;
        if (d >= m * n) h.share.rows.clear();
    }

    const Draft& plan_;
    const Problem& problem_;
    const Policy& policy_;
    const Choice& choice_;
    std::vector<std::int64_t> used_;  // bytes of each memory
    Block largest_;                   // of the blocks
    mutable std::pair<std::pair<index_t, index_t>, index_t> known_{{-1, -1}, 0};  // edge of a block
    Deal deal_;
};

}  // namespace

Deal deal_tiles(const Draft& plan, const Policy& policy, const Choice& choice) {
    return Dealer(plan, policy, choice).run();
}

}  // namespace gemmill
