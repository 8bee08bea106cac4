// SPDX-License-Identifier: Apache-2.0
#include "backend/arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

std::shared_ptr<std::byte> allocate_host(const Memory& memory, std::size_t bytes) {
    constexpr std::size_t alignment = 4096;
    const bool fits = bytes <= static_cast<std::size_t>(memory.capacity);
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = fits ? std::aligned_alloc(alignment, rounded) : nullptr;
    if (data == nullptr && bytes != 0)
        throw Error(Code::out_of_memory,
                    fmt::format("memory {}: cannot get {}", memory.name,
                                human_bytes(static_cast<double>(bytes))),
                    "room in the memory");
    return {static_cast<std::byte*>(data), std::free};
}

std::span<std::byte* const> Slabs::reserve(const Plan& plan) {
    const std::size_t count = plan.slab.size();
    owners_.resize(count);
    begins_.resize(count);
    sizes_.resize(count);
    // Nothing in a slab outlives a run: old ones go first, so that old and new together never
    // exceed the cap.
    const auto put = [&](std::size_t m, std::shared_ptr<std::byte> owner, std::int64_t size) {
        begins_[m] = owner.get();
        sizes_[m] = size;
        owners_[m] = std::move(owner);
    };
    std::vector<std::size_t> growing;
    for (std::size_t m = 0; m < count; ++m)
        if (plan.slab[m] > sizes_[m]) growing.push_back(m);
    for (const std::size_t m : growing) put(m, nullptr, 0);
    std::vector<std::shared_ptr<std::byte>> grown;
    for (const std::size_t m : growing)
        grown.push_back(
            allocate_(plan.machine.memories[m], static_cast<std::size_t>(plan.slab[m])));
    for (std::size_t i = 0; i < growing.size(); ++i)
        put(growing[i], std::move(grown[i]), plan.slab[growing[i]]);
    return begins_;
}

void Slabs::release() {
    owners_.clear();
    begins_.clear();
    sizes_.clear();
}

void* Blocks::add(MemoryId memory, std::shared_ptr<std::byte> owner, std::size_t bytes) {
    std::byte* begin = owner.get();
    if (begin == nullptr) return nullptr;
    const std::lock_guard lock(mutex_);
    blocks_[address(begin)] = {memory, bytes, std::move(owner)};
    count_ = blocks_.size();
    return begin;
}

void Blocks::remove(void* pointer) noexcept {
    Map::node_type removed;  // freed when nobody has to wait for it
    const std::lock_guard lock(mutex_);
    removed = blocks_.extract(address(pointer));
    count_ = blocks_.size();
}

Blocks::Map::const_iterator Blocks::last_before(std::uintptr_t end) const noexcept {
    const auto behind = blocks_.lower_bound(end);
    return behind == blocks_.begin() ? blocks_.end() : std::prev(behind);
}

MemoryId Blocks::find(const void* pointer) const noexcept {
    if (count_ == 0) return -1;
    const std::lock_guard lock(mutex_);
    const auto block = last_before(address(pointer) + 1);
    const bool inside =
        block != blocks_.end() && address(pointer) - block->first < block->second.bytes;
    return inside ? block->second.memory : -1;
}

bool Blocks::keep(const void* pointer, std::size_t bytes) const noexcept {
    if (count_ == 0 || bytes == 0) return true;
    const std::uintptr_t begin = address(pointer);
    const std::uintptr_t end = begin + std::min(bytes, UINTPTR_MAX - begin);
    const std::lock_guard lock(mutex_);
    const auto block = last_before(end);
    if (block == blocks_.end()) return true;
    const std::uintptr_t block_end = block->first + block->second.bytes;
    return begin >= block_end || (begin >= block->first && end <= block_end);
}

}  // namespace gemmill
