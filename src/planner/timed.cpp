// SPDX-License-Identifier: Apache-2.0
#include "planner/timed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gemmill/error.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"

namespace gemmill {

Timed::Timed(Plan& plan, Builder& builder)
    : plan_(plan),
      builder_(builder),
      estimate_(plan.machine),
      host_(static_cast<MemoryId>(
          std::ranges::find(plan.machine.memories, MemoryKind::host, &Memory::kind) -
          plan.machine.memories.begin())),
      links_(plan.machine.memories.size() * plan.machine.memories.size(), -1) {
    for (std::size_t l = plan.machine.links.size(); l-- > 0;) {
        const Link& link = plan.machine.links[l];
        links_[static_cast<std::size_t>(link.from) * plan.machine.memories.size() +
               static_cast<std::size_t>(link.to)] = static_cast<LinkId>(l);
    }
}

LinkId Timed::link(MemoryId from, MemoryId to) const {
    return links_[static_cast<std::size_t>(from) * plan_.machine.memories.size() +
                  static_cast<std::size_t>(to)];
}

double Timed::end_of(MemoryId from, MemoryId to, double bytes, double ready) const {
    const LinkId l = link(from, to);
    return l < 0 ? Estimate::never : estimate_.end_of(l, bytes, ready);
}

double Timed::move(StepKind kind, const Ref& from, const Ref& to, double ready, int piece,
                   int pieces) {
    const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
    const LinkId l = link(a, b);
    require(l >= 0, Code::no_device, "a direct link",
            fmt::format("machine {} has no link from {} to {}", plan_.machine.name,
                        plan_.machine.memories[static_cast<std::size_t>(a)].name,
                        plan_.machine.memories[static_cast<std::size_t>(b)].name));
    Step step;
    step.kind = kind;
    step.queue = builder_.transfer_queue(l);
    step.piece = static_cast<std::uint16_t>(piece);
    step.pieces = static_cast<std::uint16_t>(pieces);
    step.in[0] = from;
    step.out = to;
    const bool waits = turns_ && kind == StepKind::write;
    booked_.push_back(
        {std::max(ready, estimate_.link_free(l)), step, waits ? narrowest(l) : ResourceId{-1}});
    return estimate_.book(l, cost_of(plan_, step).amount, ready);
}

double Timed::route(StepKind kind, const Ref& from, const Ref& to, double ready, int piece,
                    int pieces) {
    const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
    if (a == b || a == host_ || b == host_) return move(kind, from, to, ready, piece, pieces);
    const Tile& t = plan_.tiles[static_cast<std::size_t>(to.tile)];
    const auto bytes = static_cast<double>(t.rows * t.cols * bytes_of(plan_.problem.type)) / pieces;
    Stop& stop = stops_[{from.tile, from.buffer}];
    const auto known = stop.arrivals.find({piece, pieces});
    const double half =
        known != stop.arrivals.end() ? known->second : end_of(a, host_, bytes, ready);
    if (end_of(a, b, bytes, ready) <= end_of(host_, b, bytes, half))
        return move(kind, from, to, ready, piece, pieces);
    const double there = bring_to(stop, from, ready, piece, pieces);
    return move(kind, {to.tile, stop.buffer}, to, there, piece, pieces);
}

/// Once for all that are served from there.
double Timed::bring_to(Stop& stop, const Ref& from, double ready, int piece, int pieces) {
    if (stop.buffer == Ref::home) stop.buffer = builder_.keep(host_, from.tile);
    const auto [it, is_new] = stop.arrivals.try_emplace({piece, pieces}, 0.0);
    if (is_new)
        it->second = move(StepKind::fetch, from, {from.tile, stop.buffer}, ready, piece, pieces);
    return it->second;
}

/// The resource that the link shares with fewest others, but with some; -1: none.
ResourceId Timed::narrowest(LinkId l) const {
    const auto users = [&](ResourceId r) {
        return std::ranges::count_if(plan_.machine.links, [&](const Link& other) {
            return std::ranges::find(other.resources, r) != other.resources.end();
        });
    };
    ResourceId best = -1;
    for (const ResourceId r : plan_.machine.links[static_cast<std::size_t>(l)].resources)
        if (users(r) > 1 && (best < 0 || users(r) < users(best))) best = r;
    return best;
}

double Timed::compute(const Step& step, double ready) {
    const DeviceId device = plan_.queues[static_cast<std::size_t>(step.queue)].index;
    booked_.push_back({std::max(ready, estimate_.device_free(device)), step});
    return estimate_.compute(device, cost_of(plan_, step).amount, ready);
}

double Timed::beside(const Step& step, double ready) {
    booked_.push_back({ready, step});
    return ready + 2 * cost_of(plan_, step).amount;
}

void Timed::issue() {
    std::ranges::stable_sort(writes_, {}, &Write::ready);
    for (const Write& w : writes_) route(StepKind::write, w.sum, {w.sum.tile, Ref::home}, w.ready);
    std::ranges::stable_sort(booked_, {}, &Booked::start);
    std::vector<StepId> last(plan_.machine.resources.size(), -1);
    for (const Booked& b : booked_) {
        StepId* turn = b.turn < 0 ? nullptr : &last[static_cast<std::size_t>(b.turn)];
        if (turn != nullptr && *turn >= 0) builder_.also_wait(*turn);
        const StepId step = builder_.emit(b.step);
        if (turn != nullptr) *turn = step;
    }
}

}  // namespace gemmill
