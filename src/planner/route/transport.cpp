// SPDX-License-Identifier: Apache-2.0
#include "planner/route/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr index_t relay_slots = 16;
constexpr double least_piece = 1 << 20;  // bytes; smaller ones are all latency

}  // namespace

/// Memories of devices may be cut off from all but the host.
TileTransport::TileTransport(Draft& plan, Builder& builder, Estimate& estimate,
                             const Policy& policy)
    : plan_(plan),
      builder_(builder),
      estimate_(estimate),
      policy_(policy),
      memories_(plan.machine.memories.size()),
      links_(memories_ * memories_, -1),
      pools_(memories_),
      last_(memories_, -1) {
    const Machine& machine = plan.machine;
    std::vector<bool> reachable(memories_, policy.peers == PeerCopies::all);
    if (policy.peers != PeerCopies::none)
        for (const DeviceId d : plan.devices)
            reachable[static_cast<std::size_t>(device_memory(machine, d))] = true;
    for (const Link& link : machine.links) {
        const auto from = static_cast<std::size_t>(link.from),
                   to = static_cast<std::size_t>(link.to);
        const bool host = machine.memories[from].kind == MemoryKind::host ||
                          machine.memories[to].kind == MemoryKind::host;
        if (host || from == to || (reachable[from] && reachable[to]))
            links_[from * memories_ + to] = builder.link(link.from, link.to);
    }
}

void TileTransport::use_pool(OperandId operand, Builder::Pool pool) {
    pools_[static_cast<std::size_t>(pool.memory)][static_cast<std::size_t>(operand)] =
        std::move(pool);
}

double TileTransport::bytes(TileId tile) const {
    const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
    return static_cast<double>(t.rows * t.cols * bytes_of(plan_.problem.type));
}

// --- what is where ------------------------------------------------------------------------------

void TileTransport::set_resident(TileId tile, MemoryId memory, BufferId buffer) {
    const std::size_t place = place_of(tile, memory);
    if (place >= resident_.size()) resident_.resize((plan_.tiles.size() + 64) * memories_, none);
    resident_[place] = buffer;
}

void TileTransport::adopt(const Ref& here) {
    set_resident(here.tile, memory_of(plan_, here), here.buffer);
}

BufferId TileTransport::take(TileId tile, MemoryId memory) {
    const auto operand = static_cast<std::size_t>(tile_at(tile).operand);
    return builder_.take(*pools_[static_cast<std::size_t>(memory)][operand], tile);
}

// --- tiles of A and B ---------------------------------------------------------------------------

/// To this memory, and with chained fetches to all sharers without it.
Ref TileTransport::bring_new(TileId tile, MemoryId to, std::span<const MemoryId> sharers) {
    if (!policy_.chain || sharers.empty()) return send(tile, to);
    targets_.assign(1, to);
    for (const MemoryId memory : sharers)
        if (memory != to && !is_home(tile, memory) && copy_of(tile, memory) == none)
            targets_.push_back(memory);
    if (targets_.size() == 1) return send(tile, to);
    fetch_chain(tile);
    return {tile, resident(tile, to)};
}

/// To one memory.
Ref TileTransport::send(TileId tile, MemoryId to) {
    const Ref place{tile, take(tile, to)};
    fetch(tile, {place, to});
    set_resident(tile, to, place.buffer);
    sent_.push_back(to);
    return place;
}

/// When the tile would come from there, home or a copy, over a link that exists.
double TileTransport::end_from(TileId tile, MemoryId from, MemoryId to) const {
    const double ready = is_home(tile, from) ? 0 : estimate_.arrival(tile, from);
    return estimate_.end_of(link_between(from, to), bytes(tile), ready);
}

/// Home, or the copy that the policy prefers; -1 when no link leads here.
MemoryId TileTransport::best_source(TileId tile, MemoryId to) const {
    const MemoryId home = home_of(tile);
    MemoryId best = -1;
    double best_rank = 0;
    const auto consider = [&](MemoryId from) {
        const LinkId link = link_between(from, to);
        if (link < 0 || from == to) return;
        const double rank = policy_.routing == Routing::eta
                                ? -end_from(tile, from, to)
                                : plan_.machine.links[static_cast<std::size_t>(link)].bandwidth;
        if (best >= 0 && rank <= best_rank) return;
        best = from;
        best_rank = rank;
    };
    consider(home);
    if (policy_.routing == Routing::home && best >= 0) return best;
    for (MemoryId memory = 0; const BufferId copy : copies_of(tile)) {
        if (copy != none && memory != home && builder_.alive(copy)) consider(memory);
        ++memory;
    }
    return best;
}

void TileTransport::fetch(TileId tile, const Copy& to) {
    if (is_home(tile, to.memory) && link_between(to.memory, to.memory) >= 0) {  // a local copy of C
        move(Opcode::fetch, {{tile, Ref::home}, to.memory}, to);
        return;
    }
    if (const MemoryId source = best_source(tile, to.memory); source >= 0) {
        move(Opcode::fetch, copy_in(tile, source), to);
        return;
    }
    const MemoryId host = host_memory();
    const Copy stop{{tile, builder_.take(relay_pool(tile_at(tile).operand), tile)}, host};
    move(Opcode::fetch, {{tile, Ref::home}, home_of(tile)}, stop);
    set_resident(tile, host, stop.ref.buffer);
    move(Opcode::fetch, stop, to);
}

/// Each hop goes to whoever it reaches first; a piece is passed on as soon as it is there.
void TileTransport::fetch_chain(TileId tile) {
    const double size = bytes(tile);
    const index_t cols = tile_at(tile).cols;
    const int pieces = static_cast<int>(std::clamp<double>(
        std::min(size / least_piece, static_cast<double>(cols)), 1, policy_.pieces));
    MemoryId last = -1;  // where it went
    double ready = 0;
    while (!targets_.empty()) {
        std::size_t pick = targets_.size();
        MemoryId from = -1;
        double first = Estimate::never;
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            const MemoryId source = last >= 0 ? last : best_source(tile, targets_[i]);
            const LinkId link = source >= 0 ? link_between(source, targets_[i]) : -1;
            if (link < 0) continue;
            const double end = last >= 0 ? estimate_.end_of(link, size, ready)
                                         : end_from(tile, source, targets_[i]);
            if (end >= first) continue;
            first = end;
            pick = i;
            from = source;
        }
        if (pick == targets_.size()) {
            if (last < 0) break;
            last = -1;  // nobody can be reached from here: start again from any copy
            continue;
        }
        const MemoryId to = targets_[pick];
        targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(pick));
        if (last < 0) ready = is_home(tile, from) ? 0 : estimate_.arrival(tile, from);
        const Copy place{{tile, take(tile, to)}, to};
        move_pieces(copy_in(tile, from), place, pieces, ready);
        set_resident(tile, to, place.ref.buffer);
        sent_.push_back(to);
        const LinkId link = link_between(from, to);
        const double hop = size / plan_.machine.links[static_cast<std::size_t>(link)].bandwidth;
        ready = estimate_.arrival(tile, to) - hop * (pieces - 1) / pieces;
        last = to;
    }
    for (const MemoryId to : targets_) send(tile, to);  // no direct link from anywhere
}

// --- tiles of C ---------------------------------------------------------------------------------

Ref TileTransport::place(TileId tile, MemoryId memory, bool filled) {
    const Ref here{tile, take(tile, memory)};
    builder_.hold(here.buffer);
    if (filled) fetch(tile, {here, memory});
    return here;
}

void TileTransport::write_back(const Ref& sum) {
    const MemoryId home = home_of(sum.tile);
    Copy from{sum, memory_of(plan_, sum)};
    if (link_between(from.memory, home) < 0) {
        const Copy stop{{sum.tile, builder_.take(relay_pool(operand::C), sum.tile)}, host_memory()};
        move(Opcode::fetch, from, stop);
        from = stop;
    }
    move(Opcode::write, from, {{sum.tile, Ref::home}, home});
    builder_.let_go(sum.buffer);
}

// --- steps --------------------------------------------------------------------------------------

StepId TileTransport::emit(LinkId link, Step step) {
    step.queue = builder_.transfer_queue(link);
    return builder_.emit(step);
}

void TileTransport::move(Opcode kind, const Copy& from, const Copy& to) {
    const MemoryId a = from.memory, b = to.memory;
    const LinkId link = link_between(a, b);
    if (link < 0)
        throw Error(Code::no_device,
                    fmt::format("machine {} has no way from {} to {}", plan_.machine.name,
                                plan_.machine.memories[static_cast<std::size_t>(a)].name,
                                plan_.machine.memories[static_cast<std::size_t>(b)].name),
                    "a link, or a way over host memory");
    const MemoryId device = kind == Opcode::write ? a : b;
    serialize(device);
    last_[static_cast<std::size_t>(device)] = emit(link, move_step(plan_, kind, from.ref, to.ref));
    const TileId tile = to.ref.tile;
    const double ready = from.ref.buffer == Ref::home ? 0 : estimate_.arrival(tile, a);
    estimate_.set_arrival(tile, b,
                          estimate_.book(link, bytes(tile), std::isfinite(ready) ? ready : 0));
}

void TileTransport::move_pieces(const Copy& from, const Copy& to, int pieces, double ready) {
    const LinkId link = link_between(from.memory, to.memory);
    serialize(to.memory);
    StepId& last = last_[static_cast<std::size_t>(to.memory)];
    for (int piece = 0; piece < pieces; ++piece)
        last = emit(link, move_step(plan_, Opcode::fetch, from.ref, to.ref, piece, pieces));
    const TileId tile = to.ref.tile;
    estimate_.set_arrival(tile, to.memory, estimate_.book(link, bytes(tile), ready));
}

void TileTransport::compute(const Step& step, DeviceId device, double seconds) {
    const MemoryId memory = device_memory(plan_.machine, device);
    serialize(memory);
    last_[static_cast<std::size_t>(memory)] = builder_.emit(step);
    double ready = 0;
    for (const Ref& in : step.in)
        if (in.tile >= 0 && in.buffer != Ref::home)
            ready = std::max(ready, estimate_.arrival(in.tile, memory));
    estimate_.set_arrival(step.out.tile, memory, estimate_.compute(device, seconds, ready));
}

MemoryId TileTransport::host_memory() const {
    const auto& all = plan_.machine.memories;
    const auto host = std::ranges::find(all, MemoryKind::host, &Memory::kind);
    return static_cast<MemoryId>(host - all.begin());
}

/// Made when it is first needed, with slots for the largest tile of the operand. A device whose
/// memory is the host's has another pool there, for tiles of its own size.
Builder::Pool& TileTransport::relay_pool(OperandId operand) {
    const MemoryId host = host_memory();
    auto& pool = relays_[static_cast<std::size_t>(operand)];
    if (!pool) {
        std::int64_t most = 0;
        for (const auto& of_memory : pools_)
            if (const auto& other = of_memory[static_cast<std::size_t>(operand)])
                most = std::max(most, other->slot_bytes);
        pool = builder_.make_pool(host, most, relay_slots);
    }
    return *pool;
}

}  // namespace gemmill
