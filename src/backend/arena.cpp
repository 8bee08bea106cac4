// SPDX-License-Identifier: Apache-2.0
#include "backend/arena.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {

std::shared_ptr<std::byte> allocate_host(const Memory& memory, std::size_t bytes) {
    constexpr std::size_t alignment = 4096;
    const bool fits = bytes <= static_cast<std::size_t>(memory.capacity);
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = fits ? std::aligned_alloc(alignment, rounded) : nullptr;
    require(data != nullptr || bytes == 0, Code::out_of_memory, "room in the memory",
            fmt::format("memory {}: cannot get {}", memory.name,
                        human_bytes(static_cast<double>(bytes))));
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

void* Blocks::add(MemoryId memory, std::shared_ptr<std::byte> owner, std::size_t bytes) {
    std::byte* begin = owner.get();
    blocks_[begin] = {memory, bytes, std::move(owner)};
    return begin;
}

void Blocks::remove(void* pointer) noexcept {
    blocks_.erase(static_cast<const std::byte*>(pointer));
}

MemoryId Blocks::find(const void* pointer) const noexcept {
    const auto* p = static_cast<const std::byte*>(pointer);
    auto block = blocks_.upper_bound(p);
    if (block == blocks_.begin()) return -1;
    --block;
    return p < block->first + block->second.bytes ? block->second.memory : -1;
}

}  // namespace gemmill
