// SPDX-License-Identifier: Apache-2.0
#include "planner/route/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmill/error.hpp"
#include "model/cost.hpp"
#include "task/problem.hpp"

namespace gemmill {
namespace {

constexpr index_t relay_slots = 16;
constexpr double least_piece = 1 << 20;  // bytes; smaller ones are all latency

}  // namespace

TileTransport::TileTransport(Draft& plan, Builder& builder, Estimate& estimate,
                             const Policy& policy)
    : plan_(plan),
      builder_(builder),
      estimate_(estimate),
      policy_(policy),
      pools_(plan.machine.memories.size()),
      last_(plan.machine.memories.size(), -1),
      reachable_(plan.machine.memories.size(), policy.peers == PeerCopies::all) {
    if (policy.peers == PeerCopies::none) return;
    for (const DeviceId d : plan.devices)
        reachable_[static_cast<std::size_t>(
            plan.machine.devices[static_cast<std::size_t>(d)].memory)] = true;
}

/// Memories of devices may be cut off from all but the host.
LinkId TileTransport::link_between(MemoryId from, MemoryId to) const {
    const auto host = [&](MemoryId m) {
        return plan_.machine.memories[static_cast<std::size_t>(m)].kind == MemoryKind::host;
    };
    const bool open =
        host(from) || host(to) || from == to ||
        (reachable_[static_cast<std::size_t>(from)] && reachable_[static_cast<std::size_t>(to)]);
    return open ? builder_.link(from, to) : -1;
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

bool TileTransport::is_home(TileId tile, MemoryId memory) const {
    const OperandId operand = plan_.tiles[static_cast<std::size_t>(tile)].operand;
    return plan_.problem.home[static_cast<std::size_t>(operand)] == memory;
}

std::optional<BufferId> TileTransport::resident(TileId tile, MemoryId memory) const {
    const std::size_t place = place_of(tile, memory);
    if (place >= resident_.size()) return std::nullopt;
    const BufferId buffer = resident_[place];
    if (buffer < 0 || !builder_.alive(buffer)) return std::nullopt;
    return buffer;
}

void TileTransport::set_resident(TileId tile, MemoryId memory, BufferId buffer) {
    const std::size_t memories = plan_.machine.memories.size();
    const std::size_t place = place_of(tile, memory);
    if (place >= resident_.size())
        resident_.resize(std::max(plan_.tiles.size() * memories, place + 1), -1);
    resident_[place] = buffer;
}

bool TileTransport::present(TileId tile, MemoryId memory) const {
    return is_home(tile, memory) || (policy_.caching && resident(tile, memory));
}

std::optional<BufferId> TileTransport::copy_of(TileId tile, MemoryId memory) const {
    return policy_.caching ? resident(tile, memory) : std::nullopt;
}

void TileTransport::adopt(const Ref& here) {
    set_resident(here.tile, memory_of(plan_, here), here.buffer);
}

Ref TileTransport::copy_in(TileId tile, MemoryId memory) const {
    return {tile, is_home(tile, memory) ? Ref::home : *resident(tile, memory)};
}

BufferId TileTransport::take(TileId tile, MemoryId memory) {
    const auto operand =
        static_cast<std::size_t>(plan_.tiles[static_cast<std::size_t>(tile)].operand);
    return builder_.take(*pools_[static_cast<std::size_t>(memory)][operand], tile);
}

// --- tiles of A and B ---------------------------------------------------------------------------

Ref TileTransport::bring(TileId tile, MemoryId to, std::span<const MemoryId> sharers) {
    sent_.clear();
    if (present(tile, to)) return copy_in(tile, to);
    std::vector<MemoryId> targets{to};
    if (policy_.chain)
        for (const MemoryId memory : sharers)
            if (memory != to && !present(tile, memory)) targets.push_back(memory);
    if (targets.size() > 1) {
        fetch_chain(tile, std::move(targets));
    } else {
        const Ref place{tile, take(tile, to)};
        fetch(tile, place);
        set_resident(tile, to, place.buffer);
        sent_.push_back(to);
    }
    return {tile, *resident(tile, to)};
}

/// Home, or the copy that the policy prefers; nothing when no link leads here.
std::optional<TileTransport::Source> TileTransport::best_source(TileId tile, MemoryId to) const {
    std::optional<Source> best;
    double best_rank = 0;
    const OperandId operand = plan_.tiles[static_cast<std::size_t>(tile)].operand;
    const MemoryId home = plan_.problem.home[static_cast<std::size_t>(operand)];
    const auto consider = [&](MemoryId from) {
        const LinkId link = link_between(from, to);
        if (link < 0 || from == to) return;
        const double ready = from == home ? 0 : estimate_.arrival(tile, from);
        const double end = estimate_.end_of(link, bytes(tile), ready);
        const double rank = policy_.routing == Routing::eta
                                ? -end
                                : plan_.machine.links[static_cast<std::size_t>(link)].bandwidth;
        if (best && rank <= best_rank) return;
        best = Source{from, end};
        best_rank = rank;
    };
    consider(home);
    if (policy_.routing == Routing::home && best) return best;
    for (std::size_t m = 0; m < plan_.machine.memories.size(); ++m)
        if (const auto memory = static_cast<MemoryId>(m); memory != home && resident(tile, memory))
            consider(memory);
    return best;
}

void TileTransport::fetch(TileId tile, const Ref& to) {
    const MemoryId target = memory_of(plan_, to);
    if (is_home(tile, target) && link_between(target, target) >= 0) {  // a local copy of C
        move(Opcode::fetch, {tile, Ref::home}, to);
        return;
    }
    if (const auto source = best_source(tile, target)) {
        move(Opcode::fetch, copy_in(tile, source->memory), to);
        return;
    }
    const MemoryId host = host_memory();
    const OperandId operand = plan_.tiles[static_cast<std::size_t>(tile)].operand;
    const Ref stop{tile, builder_.take(relay_pool(operand), tile)};
    move(Opcode::fetch, {tile, Ref::home}, stop);
    set_resident(tile, host, stop.buffer);
    move(Opcode::fetch, stop, to);
}

/// Each hop goes to whoever it reaches first; a piece is passed on as soon as it is there.
void TileTransport::fetch_chain(TileId tile, std::vector<MemoryId> targets) {
    const double size = bytes(tile);
    const index_t cols = plan_.tiles[static_cast<std::size_t>(tile)].cols;
    const int pieces = static_cast<int>(std::clamp<double>(
        std::min(size / least_piece, static_cast<double>(cols)), 1, policy_.pieces));
    std::optional<MemoryId> last;
    double ready = 0;
    while (!targets.empty()) {
        std::size_t pick = targets.size();
        MemoryId from = -1;
        double first = Estimate::never;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            std::optional<Source> source;
            if (last) {
                const LinkId link = link_between(*last, targets[i]);
                if (link >= 0) source = Source{*last, estimate_.end_of(link, size, ready)};
            } else {
                source = best_source(tile, targets[i]);
            }
            if (source && source->end < first) {
                first = source->end;
                pick = i;
                from = source->memory;
            }
        }
        if (pick == targets.size()) {
            if (!last) break;
            last.reset();  // nobody can be reached from here: start again from any copy
            continue;
        }
        const MemoryId to = targets[pick];
        targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(pick));
        if (!last) ready = is_home(tile, from) ? 0 : estimate_.arrival(tile, from);
        const Ref place{tile, take(tile, to)};
        move_pieces(copy_in(tile, from), place, pieces, ready);
        set_resident(tile, to, place.buffer);
        sent_.push_back(to);
        const LinkId link = link_between(from, to);
        const double hop = size / plan_.machine.links[static_cast<std::size_t>(link)].bandwidth;
        ready = estimate_.arrival(tile, to) - hop * (pieces - 1) / pieces;
        last = to;
    }
    for (const MemoryId to : targets) {  // no direct link from anywhere
        const Ref place{tile, take(tile, to)};
        fetch(tile, place);
        set_resident(tile, to, place.buffer);
        sent_.push_back(to);
    }
}

// --- tiles of C ---------------------------------------------------------------------------------

Ref TileTransport::place(TileId tile, MemoryId memory, bool filled) {
    const Ref here{tile, take(tile, memory)};
    builder_.hold(here.buffer);
    if (filled) fetch(tile, here);
    return here;
}

void TileTransport::write_back(const Ref& sum) {
    const MemoryId home = plan_.problem.home[static_cast<std::size_t>(operand::C)];
    Ref from = sum;
    if (link_between(memory_of(plan_, sum), home) < 0) {
        from.buffer = builder_.take(relay_pool(operand::C), sum.tile);
        move(Opcode::fetch, sum, from);
    }
    move(Opcode::write, from, {sum.tile, Ref::home});
    builder_.let_go(sum.buffer);
}

// --- steps --------------------------------------------------------------------------------------

/// Without overlap each step of a device waits for the one before.
void TileTransport::serialize(MemoryId memory) {
    const StepId last = last_[static_cast<std::size_t>(memory)];
    if (!policy_.overlap && last >= 0) builder_.also_wait(last);
}

void TileTransport::move(Opcode kind, const Ref& from, const Ref& to) {
    const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
    const LinkId link = link_between(a, b);
    if (link < 0)
        throw Error(Code::no_device,
                    fmt::format("machine {} has no way from {} to {}", plan_.machine.name,
                                plan_.machine.memories[static_cast<std::size_t>(a)].name,
                                plan_.machine.memories[static_cast<std::size_t>(b)].name),
                    "a link, or a way over host memory");
    const MemoryId device = kind == Opcode::write ? a : b;
    serialize(device);
    last_[static_cast<std::size_t>(device)] = builder_.move(kind, from, to);
    const double ready = from.buffer == Ref::home ? 0 : estimate_.arrival(from.tile, a);
    estimate_.set_arrival(to.tile, b,
                          estimate_.book(link, bytes(to.tile), std::isfinite(ready) ? ready : 0));
}

void TileTransport::move_pieces(const Ref& from, const Ref& to, int pieces, double ready) {
    const MemoryId b = memory_of(plan_, to);
    const LinkId link = link_between(memory_of(plan_, from), b);
    serialize(b);
    for (int piece = 0; piece < pieces; ++piece)
        last_[static_cast<std::size_t>(b)] = builder_.move(Opcode::fetch, from, to, piece, pieces);
    estimate_.set_arrival(to.tile, b, estimate_.book(link, bytes(to.tile), ready));
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
