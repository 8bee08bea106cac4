// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/staging.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <utility>

#include "backend/gpu/staging/cuts.hpp"
#include "backend/gpu/staging/pages.hpp"

namespace gemmill {

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
