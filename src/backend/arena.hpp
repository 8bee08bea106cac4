// SPDX-License-Identifier: Apache-2.0
// Host memory that stands for the memories of devices: slabs for plans, blocks for operands.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// Bytes of a memory; throws Error(out_of_memory) naming it.
using Allocate = std::function<std::shared_ptr<std::byte>(const Memory&, std::size_t)>;
std::shared_ptr<std::byte> allocate_host(const Memory& memory, std::size_t bytes);

/// The slabs of one machine, kept between runs and grown when a plan needs more. Not for use by two
/// threads at once.
class Slabs {
  public:
    explicit Slabs(Allocate allocate) : allocate_(std::move(allocate)) {}
    /// Beginnings by MemoryId. Slabs that must grow are freed before they are allocated anew; when
    /// that fails none of them is held.
    std::span<std::byte* const> reserve(const Plan& plan);
    std::span<std::byte* const> begins() const { return begins_; }
    std::span<const std::int64_t> sizes() const { return sizes_; }
    void release();

  private:
    Allocate allocate_;
    std::vector<std::shared_ptr<std::byte>> owners_;
    std::vector<std::byte*> begins_;
    std::vector<std::int64_t> sizes_;
};

/// Blocks that operands live in, to tell which memory a pointer lies in. Safe to use from several
/// threads.
class Blocks {
  public:
    void* add(MemoryId memory, std::shared_ptr<std::byte> owner, std::size_t bytes);
    /// Unknown pointers are ignored.
    void remove(void* pointer) noexcept;
    /// -1 when it lies in none.
    MemoryId find(const void* pointer) const noexcept;
    /// Whether so many bytes from a pointer on lie all in one block, or touch none.
    bool keep(const void* pointer, std::size_t bytes) const noexcept;

  private:
    struct Block {
        MemoryId memory;
        std::size_t bytes;
        std::shared_ptr<std::byte> owner;
    };
    using Map = std::map<std::uintptr_t, Block>;
    /// The last block that begins before an address, or blocks_.end().
    Map::const_iterator last_before(std::uintptr_t end) const noexcept;

    mutable std::mutex mutex_;
    std::atomic<std::size_t> count_ = 0;  // so that nobody waits to learn that there are none
    Map blocks_;
};

}  // namespace gemmill
