// SPDX-License-Identifier: Apache-2.0
#include "mpi/node_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

std::uint64_t new_secret() {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
}

}  // namespace

SegmentMemory::SegmentMemory(int rank, int size)
    : rank_(rank), seen_(static_cast<std::size_t>(size)) {
    seen(rank).board = Segment::make(sizeof(Shown));
    new (seen(rank).board->data()) Shown;
    shown(rank).secret = new_secret();
}

SegmentMemory::Shown& SegmentMemory::shown(int rank) const {
    return *reinterpret_cast<Shown*>(seen_[static_cast<std::size_t>(rank)].board->data());
}

SegmentMemory::Card SegmentMemory::card() const {
    return {::getpid(), seen_[static_cast<std::size_t>(rank_)].board->fd(), shown(rank_).secret};
}

void SegmentMemory::meet(const std::vector<Card>& cards) {
    for (int rank = 0; rank < static_cast<int>(cards.size()); ++rank) {
        const Card& card = cards[static_cast<std::size_t>(rank)];
        seen(rank).pid = card.pid;
        if (rank == rank_) continue;
        seen(rank).board = Segment::of_process(static_cast<int>(card.pid),
                                               static_cast<int>(card.fd), sizeof(Shown));
        require(shown(rank).secret == card.secret, Code::out_of_memory, "one host",
                "ranks of a node do not see one another's processes");
    }
}

NodeBoard& SegmentMemory::board(int rank) { return shown(rank).board; }

std::shared_ptr<void> SegmentMemory::pin(const Segment& segment) const {
    return pin_ ? pin_(segment.data(), segment.bytes()) : nullptr;
}

std::shared_ptr<std::byte[]> SegmentMemory::take(std::int64_t bytes) {
    std::shared_ptr<Segment> segment = next_ ? next_ : seen(rank_).panels;
    if (!segment || segment->bytes() < bytes) {
        next_pinned_ = nullptr, next_ = nullptr;
        next_ = Segment::make(std::max<std::int64_t>(1, bytes));
        next_pinned_ = pin(*next_);
        segment = next_;
    }
    return {segment, segment->data()};
}

void SegmentMemory::take_device(std::int64_t bytes) {
    if (bytes <= device_bytes_) return;
    next_device_ = nullptr;
    next_device_ = node_device_.make(bytes, next_name_);
    device_bytes_ = bytes;
}

void SegmentMemory::publish_device() {
    // Those who saw it have come to the end of the program in which it was replaced.
    old_device_ = nullptr;
    if (!next_device_) return;
    old_device_ = std::exchange(seen(rank_).device, std::move(next_device_));
    shown(rank_).device = next_name_;
    ++shown(rank_).device_serial;
}

void SegmentMemory::publish() {
    if (!next_) return;
    Seen& mine = seen(rank_);
    mine.pinned = std::move(next_pinned_), mine.panels = std::move(next_);
    Shown& told = shown(rank_);
    told.fd = mine.panels->fd(), told.bytes = mine.panels->bytes();
    ++told.serial;
}

std::byte* SegmentMemory::device(int rank) {
    Seen& there = seen(rank);
    const Shown& told = shown(rank);
    if (rank != rank_ && there.device_serial != told.device_serial) {
        there.device = nullptr;
        there.device = node_device_.open(told.device);
        there.device_serial = told.device_serial;
    }
    return there.device.get();
}

std::byte* SegmentMemory::memory(int rank) {
    Seen& there = seen(rank);
    const Shown& told = shown(rank);
    if (rank != rank_ && there.serial != told.serial) {
        there.pinned = nullptr, there.panels = nullptr;
        there.panels =
            Segment::of_process(static_cast<int>(there.pid), static_cast<int>(told.fd), told.bytes);
        there.pinned = pin(*there.panels);
        there.serial = told.serial;
    }
    return there.panels->data();
}

}  // namespace gemmill
