// SPDX-License-Identifier: Apache-2.0
// Host matrices that are used again and again, pinned where they lie.
#pragma once

#include <cstddef>
#include <list>

#include "backend/gpu_driver.hpp"

namespace gemmill {

/// Pins a range when it is used for the second time, up to `capacity` bytes; the ones used longest
/// ago go first. A pinned range must not be freed by its owner. Not for use by two threads at once.
class Pins {
  public:
    Pins(const GpuDriver& driver, std::size_t capacity) : driver_(driver), capacity_(capacity) {}
    ~Pins();
    Pins(const Pins&) = delete;
    Pins& operator=(const Pins&) = delete;

    /// Whether the range is pinned now.
    bool use(const void* data, std::size_t bytes);

  private:
    struct Range {
        void* data;
        std::size_t bytes;
        bool pinned;
    };
    bool pin(Range& range);
    void drop(std::list<Range>::iterator range);

    const GpuDriver& driver_;
    const std::size_t capacity_;
    std::size_t pinned_ = 0;
    std::list<Range> ranges_;  // the last used first
};

}  // namespace gemmill
