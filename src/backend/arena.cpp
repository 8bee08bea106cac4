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
    for (std::size_t m = 0; m < count; ++m) {
        if (plan.slab[m] <= sizes_[m]) continue;
        // Nothing in a slab outlives a run: the old one goes first, so that the two together never
        // exceed the cap.
        owners_[m].reset();
        begins_[m] = nullptr;
        sizes_[m] = 0;
        owners_[m] = allocate_(plan.machine.memories[m], static_cast<std::size_t>(plan.slab[m]));
        begins_[m] = owners_[m].get();
        sizes_[m] = plan.slab[m];
    }
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
