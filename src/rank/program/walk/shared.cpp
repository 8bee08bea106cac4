// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/shared.hpp"

#include <fmt/format.h>

#include <utility>

#include "gemmill/error.hpp"
#include "rank/message/patience.hpp"

namespace gemmill {

SharedPanels::SharedPanels(Transport& transport, const RankProgram& program, WaitUntil wait)
    : transport_(transport),
      program_(program),
      wait_(std::move(wait)),
      node_(program.readers[0].empty() ? nullptr : transport.node()),
      rank_(transport.rank()),
      size_(transport.size()),
      memories_(static_cast<std::size_t>(size_)) {}

void SharedPanels::await(int rank, std::atomic<std::uint64_t> NodeBoard::*what, std::uint64_t value,
                         const char* missing) {
    if (rank == rank_) return;
    const std::atomic<std::uint64_t>& there = node_->board(rank).*what;
    if (there.load(std::memory_order_acquire) >= value) return;
    wait_([&] { return there.load(std::memory_order_acquire) >= value; },
          [&] { return fmt::format("rank {} {}", rank, missing); });
}

void SharedPanels::open() {
    if (node_ == nullptr) return;
    number_ = ++node_->programs;
    for (int rank = 0; rank < size_; ++rank)
        await(rank, &NodeBoard::done, end_of(number_ - 1), "did not end the product before");
    node_->publish();
    if (program_.on_device) node_->publish_device();
    NodeBoard& mine = node_->board(rank_);
    mine.first = program_.first, mine.stride = program_.stride, mine.second = program_.second;
    mine.bytes = program_.on_device ? program_.device_bytes() : program_.arena_bytes;
    mine.open.store(number_, std::memory_order_release);
    // A rank releases device memory when all others have seen what it has instead.
    for (int rank = 0; program_.on_device && rank < size_; ++rank) find(rank);
    for (int s = 0; s < static_cast<int>(program_.stages.size()); ++s) {
        for (int operand = 0; operand < 2; ++operand)
            if (const int group = stage(s).panels[static_cast<std::size_t>(operand)].group;
                group >= 0)
                find(owner_of(program_, operand, group));
        for (const Placement& x : stage(s).placements) find(owner_of(program_, x.operand, x.group));
    }
    mine.mapped.store(number_, std::memory_order_release);
}

void SharedPanels::find(int owner) {
    std::byte*& memory = memories_[static_cast<std::size_t>(owner)];
    if (memory != nullptr) return;
    await(owner, &NodeBoard::open, number_, "sent nothing");
    memory = program_.on_device ? node_->device(owner) : node_->memory(owner);
}

void SharedPanels::close() {
    if (node_ == nullptr) return;
    NodeBoard& mine = node_->board(rank_);
    mine.placed.store(end_of(number_), std::memory_order_release);
    mine.done.store(end_of(number_), std::memory_order_release);
    for (int rank = 0; rank < size_; ++rank)
        await(rank, &NodeBoard::mapped, number_, "did not begin");
    // Products on a device of all ranks are made by the first one.
    for (int rank = 0; program_.on_device && rank_ == 0 && rank < size_; ++rank)
        await(rank, &NodeBoard::done, end_of(number_), "did not end");
}

std::byte* SharedPanels::panel(int stage, int operand, int group) const {
    const int owner = owner_of(program_, operand, group);
    const NodeBoard& board = node_->board(owner);
    return memories_[static_cast<std::size_t>(owner)] + board.first +
           stage % program_.places * board.stride + (operand == 0 ? 0 : board.second);
}

void SharedPanels::await_readers(int index) {
    if (node_ == nullptr || index < program_.places) return;
    const auto before = static_cast<std::uint64_t>(index - program_.places) + 1;
    for (const Placement& x : stage(index).placements)
        for (const int reader : readers(x.operand, x.group))
            await(reader, &NodeBoard::done, moment(number_, before), "read nothing");
}

void SharedPanels::await_readers_of(int index) {
    if (node_ == nullptr || index + program_.places >= std::ssize(program_.stages)) return;
    for (int operand = 0; operand < 2; ++operand) {
        const int group = stage(index).panels[static_cast<std::size_t>(operand)].group;
        if (group < 0 || owner_of(program_, operand, group) != rank_) continue;
        for (const int reader : readers(operand, group))
            await(reader, &NodeBoard::done, moment(number_, static_cast<std::uint64_t>(index) + 1),
                  "read nothing");
    }
}

void SharedPanels::tell_placed(int index) {
    if (node_ == nullptr) return;
    node_->board(rank_).placed.store(moment(number_, static_cast<std::uint64_t>(index) + 1),
                                     std::memory_order_release);
}

/// Calls f with each rank that puts something into this rank's panels of a stage, what its board
/// must say, and what is missing otherwise.
void SharedPanels::for_sources(int index, const IsPlaced& f) const {
    for (int operand = 0; operand < 2; ++operand)
        for (const int source : stage(index).panels[static_cast<std::size_t>(operand)].sources)
            f(source, moment(number_, static_cast<std::uint64_t>(index) + 1),
              operand == 0 ? "sent nothing of A" : "sent nothing of B");
}

void SharedPanels::await_sources(int index) {
    for_sources(index, [&](int source, std::uint64_t value, const char* missing) {
        await(source, &NodeBoard::placed, value, missing);
    });
}

void SharedPanels::await_sources_apart(int index) const {
    for_sources(index, [&](int source, std::uint64_t value, const char* missing) {
        await_apart(node_->board(source).placed, value,
                    [&] { return fmt::format("rank {} {}", source, missing); });
    });
}

void SharedPanels::await_apart(const std::atomic<std::uint64_t>& there, std::uint64_t value,
                               const std::function<std::string()>& missing) const {
    wait_until(
        transport_, [&] { return there.load(std::memory_order_acquire) >= value; },
        [] { return false; }, missing);
}

SharedPlace SharedPanels::place_of(const void* data) const {
    const auto* at = static_cast<const std::byte*>(data);
    for (int rank = 0; rank < size_; ++rank)
        if (const std::byte* first = memories_[static_cast<std::size_t>(rank)];
            first != nullptr && at >= first && at < first + node_->board(rank).bytes)
            return {rank, at - first};
    throw Error(Code::internal, "a matrix outside the memory that ranks share");
}

std::byte* SharedPanels::address_of(const SharedPlace& place) const {
    return memories_[static_cast<std::size_t>(place.rank)] + place.offset;
}

void SharedPanels::tell_done(int index) {
    if (node_ == nullptr || index < done_) return;
    done_ = index + 1;
    node_->board(rank_).done.store(moment(number_, static_cast<std::uint64_t>(done_)),
                                   std::memory_order_release);
}

}  // namespace gemmill
