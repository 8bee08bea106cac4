// SPDX-License-Identifier: Apache-2.0
#include "schedule/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "schedule/room.hpp"

namespace gemmill {

Mover::Mover(Issuer& issuer, TileCaches& caches, const ScheduleOptions& options,
             const Traffic& idle)
    : issuer_(issuer),
      caches_(caches),
      options_(options),
      traffic_(idle),
      relay_(relay_memory(issuer.plan().machine)),
      arriving_(issuer.plan().machine.memories.size()) {
    const Plan& plan = issuer.plan();
    tiles_.reserve(plan.tiles.size());
    for (const Tile& t : plan.tiles) {
        const Operand& of = operand_of(plan, t);
        tiles_.push_back({of.home, t.rows * t.cols * gemmill::bytes_of(of.type)});
    }
    for (const DeviceId d : plan.devices) {
        const MemoryId memory = plan.machine.devices[static_cast<std::size_t>(d)].memory;
        if (std::ranges::find(computing_, memory) == computing_.end()) computing_.push_back(memory);
    }
}

QueueId Mover::queue(LinkId link) { return issuer_.builder().transfer_queue(link); }

void Mover::refuse(MemoryId from, MemoryId to) const {
    const Machine& machine = issuer_.plan().machine;
    const auto name = [&](MemoryId m) {
        return machine.memories[static_cast<std::size_t>(m)].name;
    };
    throw Error(
        Code::no_device,
        fmt::format("machine {} has no way from {} to {}", machine.name, name(from), name(to)),
        "a link, or a way over host memory");
}

/// Host memory must be reached from the one and reach the other.
void Mover::require_relay(MemoryId from, MemoryId to) const {
    const auto joined = [&](MemoryId a, MemoryId b) { return traffic_.link(a, b) >= 0; };
    if (relay_ < 0 || from == relay_ || to == relay_ || !joined(from, relay_) ||
        !joined(relay_, to))
        refuse(from, to);
}

// --- where from ---------------------------------------------------------------------------------

/// By the time of arrival, or by the link's speed.
void Mover::consider(Source& best, const Source& other, MemoryId to, std::int64_t bytes) const {
    const LinkId link = traffic_.link(other.memory, to);
    if (link < 0) return;
    Source found = other;
    found.cost = options_.eta
                     ? other.cost + traffic_.seconds(link, bytes)
                     : -issuer_.plan().machine.links[static_cast<std::size_t>(link)].bandwidth;
    if (best.memory < 0 || found.cost < best.cost) best = found;
}

/// Any copy that may be used, and the one at home; memory -1: no link leads here from any.
Mover::Source Mover::find_source(TileId tile, MemoryId to) const {
    const std::int64_t bytes = bytes_of(tile);
    Source best, home;
    if (is_home(tile)) consider(home, {home_of(tile), -1, 0}, to, bytes);
    for (std::uint64_t all = caches_.directory().holders(tile); all != 0; all &= all - 1) {
        const auto m = static_cast<MemoryId>(std::countr_zero(all));
        const CopyId id = caches_.directory().find(tile, m);
        const Copy& copy = caches_.at(id);
        const bool only = home.memory < 0;
        const bool usable = (options_.l2 || m == relay_) && (options_.in_flight || copy.arrived);
        if (m == to || (!usable && !only)) continue;
        const double wait = copy.arrived ? 0 : std::max(0.0, copy.eta - now_);
        consider(best, {m, id, wait}, to, bytes);
    }
    // Links from home are what all devices share: they are asked again only where that is much
    // sooner.
    constexpr double much = 3;
    if (best.memory < 0 || (home.memory >= 0 && much * home.cost < best.cost)) return home;
    return best;
}

/// A neighbour over which a tile from home would be here sooner, as its own link from there has
/// less to do: -1 where there is none.
MemoryId Mover::find_way(TileId tile, const Source& direct, MemoryId to) const {
    if (!options_.spread_reads || !options_.l2 || !options_.eta || direct.copy >= 0) return -1;
    const std::int64_t bytes = bytes_of(tile);
    MemoryId found = -1;
    double least = direct.cost;
    for (const MemoryId m : computing_) {
        if (m == to || !caches_.has_room(tile, m)) continue;
        const LinkId first = traffic_.link(direct.memory, m), second = traffic_.link(m, to);
        if (m == direct.memory || first < 0 || second < 0) continue;
        if (caches_.directory().find(tile, m) >= 0) continue;
        const double cost = traffic_.seconds(first, bytes) + traffic_.seconds(second, bytes);
        if (cost < least) least = cost, found = m;
    }
    return found;
}

/// The copy on the way is for anyone to read.
std::optional<Mover::Source> Mover::by_way_of(TileId tile, const Source& direct, MemoryId way) {
    const CopyId copy = take(tile, way);
    if (copy < 0) return std::nullopt;
    fetch(direct, copy);
    caches_.list(copy);
    return Source{way, copy, 0};
}

/// What the source is read from is held. Nothing when there is no room on the way.
std::optional<Mover::Source> Mover::source_or_relay(TileId tile, MemoryId to) {
    Source from = find_source(tile, to);
    if (from.memory >= 0) {
        const MemoryId way = find_way(tile, from, to);
        if (way >= 0)
            if (const auto there = by_way_of(tile, from, way)) return there;
        if (from.copy >= 0) caches_.pin(from.copy);
        return from;
    }
    if (to == relay_ || relay_ < 0 || traffic_.link(relay_, to) < 0) refuse(home_of(tile), to);
    const auto relayed = bring(tile, relay_);
    if (!relayed) return std::nullopt;
    return Source{relay_, relayed->copy, 0};
}

// --- steps --------------------------------------------------------------------------------------

CopyId Mover::take(TileId tile, MemoryId memory, Zone zone) {
    const CopyId copy = caches_.take(tile, memory, zone);
    if (copy < 0) refused_ = {tile, memory};
    return copy;
}

std::string Mover::reason() const {
    if (refused_.tile < 0) return {};
    const Plan& plan = issuer_.plan();
    return fmt::format("{} has no room for {}",
                       plan.machine.memories[static_cast<std::size_t>(refused_.memory)].name,
                       name_of(plan, plan.tiles[static_cast<std::size_t>(refused_.tile)]));
}

/// The source is held already.
void Mover::fetch(const Source& from, CopyId to, int piece, int pieces) {
    Copy& copy = caches_.at(to);
    const LinkId link = traffic_.link(from.memory, copy.memory);
    const Ref source{copy.tile, from.copy >= 0 ? caches_.at(from.copy).buffer : Ref::home};
    Step step =
        move_step(issuer_.plan(), Opcode::fetch, source, {copy.tile, copy.buffer}, piece, pieces);
    step.queue = queue(link);
    const std::int64_t bytes = bytes_moved(issuer_.plan(), step);
    const double wait =
        from.copy >= 0 && !caches_.at(from.copy).arrived ? caches_.at(from.copy).eta : 0;
    const double takes = traffic_.seconds(link, bytes);
    copy.eta = std::max({copy.eta, now_ + takes, wait + takes});
    traffic_.begin(link, bytes);
    caches_.pin(to);
    if (copy.missing++ == 0) ++arriving_[static_cast<std::size_t>(copy.memory)];
    Flight flight;
    flight.reads = {from.copy, to, -1};
    flight.arrives = to, flight.link = link, flight.bytes = bytes;
    issuer_.issue(step, flight);
}

void Mover::note_arrival(CopyId id) {
    Copy& copy = caches_.at(id);
    if (--copy.missing > 0) return;
    copy.arrived = true;
    --arriving_[static_cast<std::size_t>(copy.memory)];
}

/// The copy that is there.
std::optional<Brought> Mover::hold(TileId tile, MemoryId memory) {
    const CopyId here = caches_.directory().find(tile, memory);
    if (here < 0) return std::nullopt;
    caches_.pin(here);
    return Brought{{tile, caches_.at(here).buffer}, here};
}

std::optional<Brought> Mover::bring(TileId tile, MemoryId to) {
    if (home_of(tile) == to && is_home(tile)) return Brought{{tile, Ref::home}, -1};
    if (const auto here = hold(tile, to)) return here;
    if (share(tile, to))
        if (const auto here = hold(tile, to)) return here;
    const auto from = source_or_relay(tile, to);
    if (!from) return std::nullopt;
    const CopyId copy = take(tile, to);
    if (copy < 0) {
        if (from->copy >= 0) caches_.unpin(from->copy, true);
        return std::nullopt;
    }
    fetch(*from, copy);
    caches_.list(copy);
    return Brought{{tile, caches_.at(copy).buffer}, copy};
}

std::optional<Brought> Mover::bring_old(TileId tile, MemoryId to) {
    if (home_of(tile) == to) return Brought{{tile, Ref::home}, -1};
    const CopyId copy = take(tile, to, Zone::olds);
    if (copy < 0) return std::nullopt;
    if (!fill(copy)) {
        caches_.unpin(copy, false);
        return std::nullopt;
    }
    return Brought{{tile, caches_.at(copy).buffer}, copy};
}

/// A copy of the user's own tile that can be copied within its memory; -1: there is none. Of what
/// is solved copies are new.
CopyId Mover::find_old(TileId tile, MemoryId memory) const {
    if (issuer_.plan().goal.solves || traffic_.link(memory, memory) < 0) return -1;
    return caches_.directory().find(tile, memory);
}

bool Mover::fill(CopyId sum) {
    const TileId tile = caches_.at(sum).tile;
    const MemoryId home = home_of(tile), to = caches_.at(sum).memory;
    if (const CopyId here = find_old(tile, to); here >= 0) {
        caches_.pin(here);
        fetch({to, here, 0}, sum);
        return true;
    }
    const LinkId link = traffic_.link(home, to);
    if (link < 0) {
        require_relay(home, to);
        return fill_by_way_of(relay_, sum);
    }
    const Source direct{home, -1, traffic_.seconds(link, bytes_of(tile))};
    const bool slow = traffic_.slowdown(link) > 1;
    const MemoryId way = slow ? find_way(tile, direct, to) : -1;
    if (way < 0 || !fill_by_way_of(way, sum)) fetch(direct, sum);
    return true;
}

/// The copy on the way is for nobody else.
bool Mover::fill_by_way_of(MemoryId way, CopyId sum) {
    const TileId tile = caches_.at(sum).tile;
    const CopyId passing = take(tile, way);
    if (passing < 0) return false;
    fetch({home_of(tile), -1, 0}, passing);
    fetch({way, passing, 0}, sum);
    return true;
}

bool Mover::write(CopyId sum, TaskId task) {
    const TileId tile = caches_.at(sum).tile;
    const MemoryId home = home_of(tile);
    CopyId from = sum;
    if (traffic_.link(caches_.at(sum).memory, home) < 0) {
        const MemoryId memory = caches_.at(sum).memory;
        require_relay(memory, home);
        from = take(tile, relay_);
        if (from < 0) return false;
        fetch({memory, sum, 0}, from);  // lets the sum go when it has left
    }
    const LinkId link = traffic_.link(caches_.at(from).memory, home);
    Step step = move_step(issuer_.plan(), Opcode::write, {tile, caches_.at(from).buffer},
                          {tile, Ref::home});
    step.queue = queue(link);
    Flight flight;
    flight.task = task;
    flight.reads[0] = from;
    flight.link = link;
    flight.bytes = bytes_moved(issuer_.plan(), step);
    traffic_.begin(link, flight.bytes);
    issuer_.issue(step, flight);
    return true;
}

}  // namespace gemmill
