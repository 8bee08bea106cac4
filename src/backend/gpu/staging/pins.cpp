// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/pins.hpp"

#include <algorithm>
#include <iterator>

namespace gemmill {
namespace {

constexpr std::size_t most_ranges = 256;  // that are remembered, pinned or not

}  // namespace

Pins::~Pins() {
    while (!ranges_.empty()) drop(ranges_.begin());
}

void Pins::drop(std::list<Range>::iterator range) {
    if (range->pinned) {
        driver_.unpin(range->data);
        pinned_ -= range->bytes;
    }
    ranges_.erase(range);
}

/// Makes room by giving up those that were used longest ago, but never the range itself.
bool Pins::pin(Range& range) {
    if (range.bytes > capacity_) return false;
    while (pinned_ + range.bytes > capacity_) {
        const auto oldest = std::ranges::find_if(ranges_.rbegin(), ranges_.rend(), &Range::pinned);
        drop(std::prev(oldest.base()));
    }
    // A part of it may be pinned by its owner, and then it stays as it is.
    range.pinned = driver_.pin(range.data, range.bytes) == 0;
    if (range.pinned) pinned_ += range.bytes;
    return range.pinned;
}

bool Pins::use(const void* data, std::size_t bytes) {
    if (capacity_ == 0) return false;
    const auto found = std::ranges::find_if(
        ranges_, [&](const Range& r) { return r.data == data && r.bytes == bytes; });
    if (found == ranges_.end()) {
        ranges_.push_front({const_cast<void*>(data), bytes, false});
        if (ranges_.size() > most_ranges) drop(std::prev(ranges_.end()));
        return false;
    }
    ranges_.splice(ranges_.begin(), ranges_, found);
    return found->pinned || pin(*found);
}

}  // namespace gemmill
