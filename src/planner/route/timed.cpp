// SPDX-License-Identifier: Apache-2.0
#include "planner/route/timed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gemmill/error.hpp"
#include "model/cost.hpp"
#include "plan/build/steps.hpp"
#include "task/problem.hpp"

namespace gemmill {

Timed::Timed(Draft& plan, Builder& builder)
    : plan_(plan),
      builder_(builder),
      estimate_(plan.machine),
      host_(static_cast<MemoryId>(
          std::ranges::find(plan.machine.memories, MemoryKind::host, &Memory::kind) -
          plan.machine.memories.begin())) {}

double Timed::end_of(MemoryId from, MemoryId to, double bytes, double ready) const {
    const LinkId l = link(from, to);
    return l < 0 ? Estimate::never : estimate_.end_of(l, bytes, ready);
}

double Timed::move(Opcode kind, const Ref& from, const Ref& to, double ready, int piece,
                   int pieces) {
    catch_up(from, to, ready);
    return book(kind, from, to, ready, piece, pieces);
}

double Timed::route(Opcode kind, const Ref& from, const Ref& to, double ready, int piece,
                    int pieces) {
    catch_up(from, to, ready);
    return book_route(kind, from, to, ready, piece, pieces);
}

std::size_t Timed::write(const Ref& sum, double ready) {
    writes_.push({ready, write_ends_.size(), sum});
    write_ends_.push_back(Estimate::never);
    return write_ends_.size() - 1;
}

double Timed::written(std::size_t write) {
    while (write_ends_[write] == Estimate::never) book_write();
    return write_ends_[write];
}

double Timed::also_wait(std::size_t write) {
    const double end = written(write);
    after_ = static_cast<int>(write);
    return end;
}

void Timed::catch_up(const Ref& from, const Ref& to, double ready) {
    const LinkId l = link(memory_of(plan_, from), memory_of(plan_, to));
    const double start = l < 0 ? ready : std::max(ready, estimate_.link_free(l));
    while (!writes_.empty() && writes_.top().ready <= start) book_write();
}

void Timed::book_write() {
    const Write w = writes_.top();
    writes_.pop();
    const int after = std::exchange(after_, -1);
    writing_ = static_cast<int>(w.number);
    write_ends_[w.number] =
        book_route(Opcode::write, w.sum, {w.sum.tile, Ref::home}, w.ready, 0, 1);
    writing_ = -1;
    after_ = after;
}

double Timed::book(Opcode kind, const Ref& from, const Ref& to, double ready, int piece,
                   int pieces) {
    const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
    const LinkId l = link(a, b);
    if (l < 0)
        throw Error(Code::no_device,
                    fmt::format("machine {} has no link from {} to {}", plan_.machine.name,
                                plan_.machine.memories[static_cast<std::size_t>(a)].name,
                                plan_.machine.memories[static_cast<std::size_t>(b)].name),
                    "a direct link");
    Step step = move_step(plan_, kind, from, to, piece, pieces);
    step.queue = builder_.transfer_queue(l);
    const double bytes = cost_of(plan_, step).amount;
    Booked booked{std::max(ready, estimate_.link_free(l)), step};
    booked.after = std::exchange(after_, -1);
    if (a == host_) to_read_ += booked.read = bytes;
    if (b == host_) to_write_ += booked.written = bytes;
    if (kind == Opcode::write) {
        booked.write = writing_;
        if (turns_) booked.turn = narrowest(l);
    }
    note(booked);
    return estimate_.book(l, bytes, ready);
}

double Timed::book_route(Opcode kind, const Ref& from, const Ref& to, double ready, int piece,
                         int pieces) {
    const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
    if (a == b || a == host_ || b == host_) return book(kind, from, to, ready, piece, pieces);
    const Tile& t = plan_.tiles[static_cast<std::size_t>(to.tile)];
    const auto bytes = static_cast<double>(t.rows * t.cols * bytes_of(plan_.problem.type)) / pieces;
    Stop& stop = stops_[{from.tile, from.buffer}];
    const auto known = stop.arrivals.find({piece, pieces});
    // What goes over the host need not keep the pace of the direct link.
    const double early = after_ >= 0 ? 0 : ready;
    const double half =
        known != stop.arrivals.end() ? known->second : end_of(a, host_, bytes, early);
    // Nobody waits for a write: it may take longer over the host, where it is begun sooner.
    const double last = kind == Opcode::write ? 0 : bytes;
    if (end_of(a, b, bytes, ready) <= end_of(host_, b, last, half))
        return book(kind, from, to, ready, piece, pieces);
    after_ = -1;
    const double there = bring_to(stop, from, early, piece, pieces);
    return book(kind, {to.tile, stop.buffer}, to, there, piece, pieces);
}

/// Once for all that are served from there.
double Timed::bring_to(Stop& stop, const Ref& from, double ready, int piece, int pieces) {
    if (stop.buffer == Ref::home) stop.buffer = builder_.keep(host_, from.tile);
    const auto [it, is_new] = stop.arrivals.try_emplace({piece, pieces}, 0.0);
    if (is_new)
        it->second = book(Opcode::fetch, from, {from.tile, stop.buffer}, ready, piece, pieces);
    return it->second;
}

void Timed::take_turns() {
    turns_ = true;
    users_.assign(plan_.machine.resources.size(), 0);
    for (const Link& link : plan_.machine.links)
        for (const ResourceId r : link.resources) ++users_[static_cast<std::size_t>(r)];
}

/// The resource that the link shares with fewest others, but with some; -1: none.
ResourceId Timed::narrowest(LinkId l) const {
    const auto users = [&](ResourceId r) { return users_[static_cast<std::size_t>(r)]; };
    ResourceId best = -1;
    for (const ResourceId r : plan_.machine.links[static_cast<std::size_t>(l)].resources)
        if (users(r) > 1 && (best < 0 || users(r) < users(best))) best = r;
    return best;
}

double Timed::compute(const Step& step, double ready) {
    const DeviceId device = plan_.queues[static_cast<std::size_t>(step.queue)].index;
    note({std::max(ready, estimate_.device_free(device)), step});
    return estimate_.compute(device, cost_of(plan_, step).amount, ready);
}

double Timed::beside(const Step& step, double ready) {
    note({ready, step});
    return ready + 2 * cost_of(plan_, step).amount;
}

/// What is more than the plan may have ends here, as the builder refuses it, and not when all of it
/// is booked.
void Timed::note(const Booked& booked) {
    booked_.push_back(booked);
    if (static_cast<double>(booked_.size()) > plan_.most_steps) emit_booked();
}

void Timed::issue() {
    while (!writes_.empty()) book_write();
    emit_booked();
}

void Timed::emit_booked() {
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(booked_.size());
    for (std::size_t i = 0; i < booked_.size(); ++i) order.emplace_back(booked_[i].start, i);
    std::ranges::sort(order);
    std::vector<StepId> last(plan_.machine.resources.size(), -1);
    std::vector<StepId> writes(write_ends_.size(), -1);
    for (const auto& [start, number] : order) {
        const Booked& b = booked_[number];
        // Turns end when as much is left to write as to read.
        const bool takes_turn = b.turn >= 0 && to_read_ > to_write_;
        to_read_ -= b.read;
        to_write_ -= b.written;
        StepId* turn = takes_turn ? &last[static_cast<std::size_t>(b.turn)] : nullptr;
        if (turn != nullptr && *turn >= 0) builder_.also_wait(*turn);
        if (b.after >= 0) builder_.also_wait(writes[static_cast<std::size_t>(b.after)]);
        const StepId step = builder_.emit(b.step);
        if (turn != nullptr) *turn = step;
        if (b.write >= 0) writes[static_cast<std::size_t>(b.write)] = step;
    }
}

}  // namespace gemmill
