// SPDX-License-Identifier: Apache-2.0
// What the threads do that copy between host memory and slots.
#include <algorithm>
#include <chrono>

#include "backend/gpu/staging/cuts.hpp"
#include "backend/gpu/staging/pages.hpp"
#include "backend/gpu/staging/staging.hpp"
#include "base/pause.hpp"

namespace gemmill {
namespace {

/// Threads that look for work leave the core to those that copy: to its other hardware thread, and
/// to a thread that waits for it.
void rest() {
    pause_core();
    std::this_thread::yield();
}

}  // namespace

/// Waits for something to do. Threads stay awake for a while: those that sleep take half a
/// millisecond until they work again, in every call.
template <class F>
void Staging::wait(Lock& lock, Crew& crew, const F& ready) const {
    const auto start = std::chrono::steady_clock::now();
    const auto lingers = [&] { return std::chrono::steady_clock::now() - start < setup_.linger; };
    while (!ready() && lingers()) {
        const unsigned seen = crew.news;
        lock.unlock();
        while (crew.news == seen && lingers()) rest();
        lock.lock();
    }
    crew.changed.wait(lock, ready);
}

/// Waits until a slot has travelled, and works on other slots meanwhile. Slots arrive soon: a
/// thread that sleeps wakes too late for the next one. A fault does not mean that the slot is free.
int Staging::wait_for(Lock& lock, GpuEvent* event, Crew& crew) {
    constexpr std::chrono::microseconds soon{500};
    const auto now = [] { return std::chrono::steady_clock::now(); };
    bool done = false;
    for (auto start = now(); now() - start < soon;) {
        lock.unlock();
        while (driver_.query(event, &done) == 0 && !done && !has_shares() && now() - start < soon)
            rest();
        lock.lock();
        if (done) return 0;
        if (do_share(lock, crew) || do_share(lock, other(crew))) start = now();
    }
    lock.unlock();
    const int fault = driver_.synchronize(event);
    lock.lock();
    return fault;
}

/// Lets all threads copy a part together.
void Staging::share(Crew& crew, const SlotCopy& piece) {
    crew.pieces.push_back(piece);
    crew.open += piece.shares;
    if (piece.shares == 1) return;
    packing_.wake();
    unpacking_.wake();
}

/// Copies one share of a part, and ends the part after its last one. False: there is none.
bool Staging::do_share(Lock& lock, Crew& crew) {
    const auto piece =
        std::ranges::find_if(crew.pieces, [](const SlotCopy& p) { return p.taken < p.shares; });
    if (piece == crew.pieces.end()) return false;
    const CopyArgs args = share_of(piece->copy, piece->taken++, piece->shares);
    --crew.open;
    lock.unlock();
    piece->streams ? stream_now(args) : copy_now(args);
    lock.lock();
    if (++piece->done < piece->shares) return true;
    const SlotCopy whole = *piece;
    crew.pieces.erase(piece);
    &crew == &packing_ ? end_packing(lock, whole) : end_unpacking(lock, whole);
    return true;
}

/// A free slot, or the one that was sent first, when it has arrived.
std::size_t Staging::take_slot(Lock& lock) {
    if (!in_.free.empty()) {
        const std::size_t slot = in_.free.back();
        in_.free.pop_back();
        return slot;
    }
    const std::size_t slot = in_.travelling.front();
    in_.travelling.pop_front();
    // A fault shows again where the step's own event is asked.
    wait_for(lock, in_.events[slot].second, packing_);
    return slot;
}

void Staging::pack_all() {
    Lock lock(mutex_);
    for (;;) {
        const auto can_begin = [&] {
            return !to_pack_.empty() && (!in_.free.empty() || !in_.travelling.empty());
        };
        wait(lock, packing_, [&] { return stop_ || has_shares() || can_begin(); });
        if (stop_) return;
        if (do_share(lock, packing_)) continue;
        if (can_begin())
            begin_packing(lock);
        else
            do_share(lock, unpacking_);
    }
}

void Staging::begin_packing(Lock& lock) {
    Move& move = *to_pack_.front();
    const index_t part = move.taken++;
    if (move.taken == move.parts) to_pack_.pop_front();
    const std::size_t slot = take_slot(lock);
    const CopyArgs copy = to_slot(part_of(move.args, part, setup_.slot_bytes), at(in_, slot));
    // Of more than those caches hold most has left them when its turn to travel comes.
    const bool streams = announced_ <= setup_.own_caches;
    share(packing_,
          {&move, slot, part, copy, streams, shares_of(copy, setup_.share_bytes, all_threads())});
}

void Staging::end_packing(Lock& lock, const SlotCopy& piece) {
    Move& move = *piece.move;
    if (move.released)
        send(lock, move, piece.slot, piece.part);
    else
        move.packed.emplace_back(piece.slot, piece.part);
    changed_.notify_all();
    tell_issued(lock);
}

void Staging::unpack_all() {
    Lock lock(mutex_);
    for (;;) {
        wait(lock, unpacking_,
             [&] { return stop_ || has_shares() || !to_unpack_.empty() || can_touch(); });
        if (stop_) return;
        if (do_share(lock, unpacking_)) continue;
        if (!to_unpack_.empty())
            begin_unpacking(lock);
        else if (!do_share(lock, packing_) && can_touch())
            touch_one(lock);
    }
}

void Staging::begin_unpacking(Lock& lock) {
    const auto [move, slot, part, travels] = to_unpack_.front();
    to_unpack_.pop_front();
    const bool whole = move->fault == 0;
    if (travels) touch_until(lock, out_.events[slot].second);
    const int fault = travels ? wait_for(lock, out_.events[slot].second, unpacking_) : 0;
    if (move->fault == 0) move->fault = fault;
    const CopyArgs copy = from_slot(part_of(move->args, part, setup_.slot_bytes), at(out_, slot));
    const SlotCopy piece{move, slot, part,
                         copy, true, shares_of(copy, setup_.share_bytes, all_threads())};
    if (!whole || fault != 0) return end_unpacking(lock, piece);
    share(unpacking_, piece);
}

void Staging::end_unpacking(Lock& lock, const SlotCopy& piece) {
    Move* const move = piece.move;
    out_.free.push_back(piece.slot);
    fetch_back(lock);
    tell_issued(lock);
    if (++move->through == move->parts) std::erase(to_touch_, move);
    end_if_through(lock, *move);
}

/// Makes pages while the event has not come.
void Staging::touch_until(Lock& lock, GpuEvent* event) {
    bool done = false;
    do {
        lock.unlock();
        const int fault = driver_.query(event, &done);
        lock.lock();
        if (fault != 0) return;
    } while (!done && touch_one(lock));
}

/// Makes the pages of one part, of those that have not been written yet. False: there are none.
bool Staging::touch_one(Lock& lock) {
    if (to_touch_.empty()) return false;
    Move& move = *to_touch_.front();
    move.touched = std::max(move.touched, move.through);
    const index_t part = move.touched++;
    if (move.touched >= move.parts) to_touch_.pop_front();
    if (part >= move.parts) return true;
    const CopyArgs args = part_of(move.args, part, setup_.slot_bytes);
    ++move.touching;
    lock.unlock();
    make_pages(args.to, args.rows * args.bytes, args.cols, args.to_ld * args.bytes);
    lock.lock();
    --move.touching;
    changed_.notify_all();
    end_if_through(lock, move);
    return true;
}

}  // namespace gemmill
