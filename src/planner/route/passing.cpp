// SPDX-License-Identifier: Apache-2.0
#include "planner/route/passing.hpp"

#include <algorithm>

#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr double least_piece = 1 << 20;  // bytes; smaller ones are all latency

}  // namespace

MemoryId Passing::home_of(TileId tile) const {
    const OperandId operand = plan_.tiles[static_cast<std::size_t>(tile)].operand;
    return plan_.problem.home[static_cast<std::size_t>(operand)];
}

void Passing::share(TileId tile, const std::vector<Landing>& all) {
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].enters) entries.push_back(i);
    const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
    const auto bytes = static_cast<double>(t.rows * t.cols * bytes_of(plan_.problem.type));
    const auto most = std::min(
        {static_cast<double>(entries.size()), static_cast<double>(t.cols), bytes / least_piece});
    const int pieces = std::clamp(static_cast<int>(most), 1, most_);
    const auto arrival = [&](std::size_t i) {
        return timed_.end_of(home_of(tile), all[i].memory, bytes / pieces, 0);
    };
    for (int piece = 0; piece < pieces; ++piece) {
        const auto entry = std::ranges::min_element(entries, {}, arrival);
        pass_on(tile, all, *entry, piece, pieces);
        entries.erase(entry);
    }
}

/// One piece to `first` and from there to all others; from home to those without a link.
void Passing::pass_on(TileId tile, const std::vector<Landing>& all, std::size_t first, int piece,
                      int pieces) {
    const Landing& entry = all[first];
    const Ref there{tile, entry.place};
    const double arrival = from_home(there, piece, pieces);
    *entry.ready = std::max(*entry.ready, arrival);
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Landing& other = all[(first + i) % all.size()];
        const Ref to{tile, other.place};
        const bool linked = builder_.link(entry.memory, other.memory) >= 0;
        *other.ready = std::max(
            *other.ready, linked ? timed_.move(Opcode::fetch, there, to, arrival, piece, pieces)
                                 : from_home(to, piece, pieces));
    }
}

/// Directly where it can: relays are for C, which goes both ways.
double Passing::from_home(const Ref& to, int piece, int pieces) {
    const Ref home{to.tile, Ref::home};
    const LinkId direct = builder_.link(home_of(to.tile), memory_of(plan_, to));
    return direct >= 0 ? timed_.move(Opcode::fetch, home, to, 0, piece, pieces)
                       : timed_.route(Opcode::fetch, home, to, 0, piece, pieces);
}

}  // namespace gemmill
