// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "backend/gpu/staging/cuts.hpp"
#include "backend/gpu/staging/pages.hpp"
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

Staging::Staging(const GpuDriver& driver, EventPool& events, const StagingSetup& setup)
    : driver_(driver), events_(events), setup_(setup) {}

Staging::~Staging() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        packing_.wake();
        unpacking_.wake();
    }
    for (std::thread& thread : threads_) thread.join();
    close(in_);
    close(out_);
}

void Staging::open(Ring& ring) const {
    const auto bytes = static_cast<std::size_t>(setup_.slot_bytes * setup_.slots);
    const std::size_t rounded = (bytes + large_page - 1) / large_page * large_page;
    ring.events.assign(static_cast<std::size_t>(setup_.slots), {-1, nullptr});
    ring.free.resize(ring.events.size());
    std::iota(ring.free.rbegin(), ring.free.rend(), std::size_t{0});
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(large_page, rounded));
    if (memory == nullptr)
        throw Error(Code::out_of_memory,
                    fmt::format("{} slots of {} bytes", setup_.slots, setup_.slot_bytes),
                    "host memory for slots");
    make_large_pages(memory, static_cast<index_t>(rounded), setup_.threads);
    const int fault = driver_.pin(memory, rounded);
    if (fault != 0) std::free(memory);
    require_ok(driver_, fault, "pin the slots");
    ring.memory = memory;
}

void Staging::close(Ring& ring) const {
    for (const auto& [device, event] : ring.events)
        if (event != nullptr) events_.give(device, event);
    if (ring.memory == nullptr) return;
    driver_.unpin(ring.memory);
    std::free(ring.memory);
}

void Staging::open() {
    constexpr std::size_t directions = 2;
    if (threads_.size() < directions)
        start_threads(directions * static_cast<std::size_t>(setup_.threads));
    require(threads_.size() >= directions, Code::out_of_memory, "a thread of each direction",
            "the system has no threads to move host memory that is not pinned");
    if (in_.memory == nullptr) open(in_);
    if (out_.memory == nullptr) open(out_);
}

/// Of either direction in turn, so that a system with few threads to give leaves some of both.
void Staging::start_threads(std::size_t wanted) {
    threads_.reserve(wanted);
    try {
        while (threads_.size() < wanted)
            if (threads_.size() % 2 == 0)
                threads_.emplace_back([this] { pack_all(); });
            else
                threads_.emplace_back([this] { unpack_all(); });
    } catch (const std::exception&) {  // there are no more; one of each will do
    }
}

std::byte* Staging::at(const Ring& ring, std::size_t slot) const {
    return ring.memory + static_cast<index_t>(slot) * setup_.slot_bytes;
}

void Staging::begin(Move& move) {
    const Lock lock(mutex_);
    open();
    move.parts = parts_of(move.args, setup_.slot_bytes);
    if (move.to_device) {
        if (to_pack_.empty() && packing_.pieces.empty()) announced_ = 0;
        announced_ += move.args.rows * move.args.cols * move.args.bytes;
        to_pack_.push_back(&move);
        packing_.wake();
    } else if (move.new_pages) {
        to_touch_.push_back(&move);
        unpacking_.wake();
    }
}

std::optional<int> Staging::release(Move& move) {
    Lock lock(mutex_);
    move.released = true;
    if (move.to_device) {
        const auto packed = std::exchange(move.packed, {});
        for (const auto& [slot, part] : packed) send(lock, move, slot, part);
        packing_.wake();  // a slot that travels can be waited for
    } else {
        to_fetch_.push_back(&move);
        fetch_back(lock);
    }
    // The caller learns of this move from the result; no other can have been issued by it.
    if (std::erase(issued_, &move) == 0) return std::nullopt;
    return move.fault;
}

void Staging::cancel(Move& move) {
    Lock lock(mutex_);
    std::erase(to_pack_, &move);
    std::erase(to_touch_, &move);
    changed_.wait(lock,
                  [&] { return std::ssize(move.packed) == move.taken && move.touching == 0; });
    for (const auto& [slot, part] : move.packed) in_.free.push_back(slot);
    packing_.wake();
}

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

/// Puts the copy of one slot into the move's stream, without the lock, because that takes a while;
/// the slot's event tells when it is done. Returns whether there is such a copy to wait for. Faults
/// are the move's.
bool Staging::travel(Lock& lock, Ring& ring, std::size_t slot, Move& move, index_t part) {
    lock.unlock();
    const auto [travels, fault] = travel(ring, slot, move, part);
    lock.lock();
    if (move.fault == 0) move.fault = fault;
    return travels;
}

std::pair<bool, int> Staging::travel(Ring& ring, std::size_t slot, const Move& move, index_t part) {
    auto& [device, event] = ring.events[slot];
    if (device != move.lane.device) {
        if (event != nullptr) events_.give(device, event);
        event = nullptr;
        device = move.lane.device;
    }
    if (event == nullptr)
        if (const int fault = events_.take(device, &event)) return {false, fault};
    const CopyArgs all = part_of(move.args, part, setup_.slot_bytes);
    std::byte* place = at(ring, slot);
    if (const int fault = driver_.copy(
            move.lane.stream, move.to_device ? from_slot(all, place) : to_slot(all, place), {}))
        return {false, fault};
    const int fault = driver_.record(event, move.lane.stream);
    // Without its event the slot could be used again too soon: a second try, unless all is lost.
    return {fault == 0 || driver_.record(event, move.lane.stream) == 0, fault};
}

void Staging::send(Lock& lock, Move& move, std::size_t slot, index_t part) {
    if (travel(lock, in_, slot, move, part))
        in_.travelling.push_back(slot);
    else
        in_.free.push_back(slot);
    if (++move.sent == move.parts) issued_.push_back(&move);
}

/// Starts copies from devices while there are slots.
void Staging::fetch_back(Lock& lock) {
    while (!to_fetch_.empty() && !out_.free.empty()) {
        Move& move = *to_fetch_.front();
        const std::size_t slot = out_.free.back();
        out_.free.pop_back();
        const index_t part = move.taken++;
        if (move.taken == move.parts) to_fetch_.pop_front();
        const bool travels = travel(lock, out_, slot, move, part);
        to_unpack_.push_back({&move, slot, part, travels});
        unpacking_.wake();
        if (++move.sent == move.parts) issued_.push_back(&move);
    }
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

/// Calls without the lock, and a copy: the move may be gone when its owner has been told.
void Staging::call(Lock& lock, const std::function<void(int)>& function, int fault) {
    const std::function<void(int)> copy = function;
    lock.unlock();
    copy(fault);
    lock.lock();
}

/// Tells the owner when all parts have reached the host and no thread makes pages of it.
void Staging::end_if_through(Lock& lock, const Move& move) {
    if (move.through == move.parts && move.touching == 0) call(lock, move.ended, move.fault);
}

void Staging::tell_issued(Lock& lock) {
    std::vector<Move*> moves;
    moves.swap(issued_);
    for (const Move* move : moves) call(lock, move->issued, move->fault);
}

}  // namespace gemmill
