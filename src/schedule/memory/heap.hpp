// SPDX-License-Identifier: Apache-2.0
// Places in a slab for tiles of different sizes, without calls of a driver.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace gemmill {

/// Offsets [begin, begin + bytes) of a memory: the first free segment that is long enough is
/// split, and one that is given back is merged with its neighbours.
class Heap {
  public:
    Heap() = default;
    Heap(std::int64_t begin, std::int64_t bytes);

    /// The offset of so many bytes, or nothing.
    std::optional<std::int64_t> take(std::int64_t bytes);
    /// What take() returned.
    void give(std::int64_t offset);

    std::int64_t size() const { return size_; }
    std::int64_t free() const { return free_; }
    std::int64_t largest() const;
    /// The part of the free bytes that is not in the largest free segment.
    double fragmentation() const;

  private:
    std::map<std::int64_t, std::int64_t> empty_;               // length by offset
    std::unordered_map<std::int64_t, std::int64_t> occupied_;  // the same
    std::int64_t size_ = 0, free_ = 0;
};

}  // namespace gemmill
