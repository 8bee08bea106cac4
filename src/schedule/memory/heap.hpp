// SPDX-License-Identifier: Apache-2.0
// Places in a slab for tiles of different sizes, without calls of a driver.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace gemmill {

/// Offsets [begin, begin + bytes) of a memory: the first free segment that is long enough is
/// split, and one that is given back is merged with its neighbours.
class Heap {
  public:
    Heap() = default;
    Heap(std::int64_t begin, std::int64_t bytes);

    /// The offset of so many bytes, or nothing.
    std::optional<std::int64_t> take(std::int64_t bytes);
    /// What take() returned for so many bytes.
    void give(std::int64_t offset, std::int64_t bytes);

    std::int64_t size() const { return size_; }
    std::int64_t free() const { return free_; }
    std::int64_t largest() const;
    /// The part of the free bytes that is not in the largest free segment.
    double fragmentation() const;

  private:
    struct Segment {
        std::int64_t begin = 0, bytes = 0;
        std::int64_t end() const { return begin + bytes; }
    };
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

    std::vector<Segment> empty_;  // by offset
    std::int64_t size_ = 0, free_ = 0;
    std::int64_t refused_ = none;  // so many bytes had no place since the last were given back
};

}  // namespace gemmill
