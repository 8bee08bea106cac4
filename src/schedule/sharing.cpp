// SPDX-License-Identifier: Apache-2.0
// How the mover brings what several devices will read.
#include <algorithm>
#include <cmath>

#include "schedule/mover.hpp"

namespace gemmill {

double pieces_for(double bytes, double bandwidth, double issue, double readers, double least) {
    if (least <= 0) return 1;
    const double by_cost = issue > 0 ? std::sqrt(bytes / (bandwidth * issue * readers)) : readers;
    return std::max(1.0, std::floor(std::min({readers, bytes / least, by_cost})));
}

/// Memories of devices that will read a tile which only its home has, and that can pass it on to
/// each other. Nothing has to go from there for it.
std::span<const MemoryId> Mover::sharers_of(TileId tile, MemoryId to) {
    std::vector<MemoryId>& all = sharers_;
    all.assign(1, to);
    const Known& known = tiles_[static_cast<std::size_t>(tile)];
    const MemoryId home = known.home;
    const bool alone = (known.wanted & ~Directory::bit(to)) == 0;
    if (alone || options_.piece == 0 || !options_.l2 || !known.is_home ||
        caches_.directory().holders(tile) != 0 || traffic_.link(home, to) < 0)
        return all;
    const auto linked = [&](MemoryId m) {
        const auto both = [&](MemoryId other) {
            return traffic_.link(m, other) >= 0 && traffic_.link(other, m) >= 0;
        };
        return traffic_.link(home, m) >= 0 && std::ranges::all_of(all, both);
    };
    for (const MemoryId m : computing_)
        if (m != to && m != home && (known.wanted & Directory::bit(m)) != 0 && linked(m) &&
            caches_.has_room(tile, m))
            all.push_back(m);
    return all;
}

/// Pieces take turns on no link, but each costs a step for every reader: as many as make the sum of
/// both least.
int Mover::pieces_of(TileId tile, LinkId link, std::size_t readers) const {
    const Machine& machine = issuer_.plan().machine;
    const index_t cols = issuer_.plan().tiles[static_cast<std::size_t>(tile)].cols;
    return static_cast<int>(std::min<double>(
        static_cast<double>(cols),
        pieces_for(static_cast<double>(bytes_of(tile)), traffic_.together(link), machine.issue,
                   static_cast<double>(readers), static_cast<double>(options_.piece))));
}

/// What several devices will read is cut into pieces; each comes from home over another link and is
/// passed on to the others. So it is there as soon as all links together can bring it. False where
/// it comes whole.
bool Mover::share(TileId tile, MemoryId to) {
    const std::span<const MemoryId> sharers = sharers_of(tile, to);
    if (sharers.size() < 2) return false;
    const int pieces = pieces_of(tile, traffic_.link(home_of(tile), to), sharers.size());
    if (pieces < 2) return false;
    std::vector<CopyId> copies;
    for (const MemoryId m : sharers)
        if (const CopyId copy = take(tile, m); copy >= 0) copies.push_back(copy);
    if (copies.empty()) return false;
    for (const CopyId copy : copies) caches_.list(copy);
    const std::vector<std::size_t> first = carriers(home_of(tile), copies, pieces);
    for (int piece = 0; piece < pieces; ++piece)
        fetch({home_of(tile), -1, 0}, copies[first[static_cast<std::size_t>(piece)]], piece,
              pieces);
    for (int piece = 0; piece < pieces; ++piece)
        pass_on(copies, first[static_cast<std::size_t>(piece)], piece, pieces);
    for (const CopyId copy : copies) caches_.unpin(copy, true);
    return true;
}

/// Who gets which piece from home: each in turn. Where one of the links turns out to be slower than
/// the others, whoever would have it first, behind what is on the links already.
std::vector<std::size_t> Mover::carriers(MemoryId home, const std::vector<CopyId>& copies,
                                         int pieces) const {
    const std::size_t count = copies.size();
    std::vector<std::size_t> first(static_cast<std::size_t>(pieces));
    for (std::size_t piece = 0; piece < first.size(); ++piece) first[piece] = piece % count;
    std::vector<LinkId> links;
    for (const CopyId copy : copies) links.push_back(traffic_.link(home, caches_.at(copy).memory));
    const auto slow = [&](LinkId link) { return traffic_.slowdown(link) > 1; };
    if (std::ranges::none_of(links, slow)) return first;
    const double bytes = static_cast<double>(bytes_of(caches_.at(copies.front()).tile)) / pieces;
    std::vector<double> more(count, bytes);  // that are put on each link
    for (std::size_t& carrier : first) {
        const auto end = [&](std::size_t i) { return traffic_.drained(links[i], more[i]); };
        carrier = 0;
        for (std::size_t i = 1; i < count; ++i)
            if (end(i) < end(carrier)) carrier = i;
        more[carrier] += bytes;
    }
    return first;
}

/// A piece goes from the first that has it to all others.
void Mover::pass_on(const std::vector<CopyId>& copies, std::size_t first, int piece, int pieces) {
    const std::size_t count = copies.size();
    for (std::size_t i = 1; i < count; ++i) {
        caches_.pin(copies[first]);
        fetch({caches_.at(copies[first]).memory, copies[first], 0}, copies[(first + i) % count],
              piece, pieces);
    }
}

}  // namespace gemmill
