// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/heap.hpp"

#include <algorithm>
#include <iterator>

namespace gemmill {

Heap::Heap(std::int64_t begin, std::int64_t bytes) : size_(bytes), free_(bytes) {
    if (bytes > 0) empty_.push_back({begin, bytes});
}

std::optional<std::int64_t> Heap::take(std::int64_t bytes) {
    if (bytes > free_ || bytes >= refused_) return std::nullopt;
    const auto fits = [&](const Segment& segment) { return segment.bytes >= bytes; };
    const auto found = std::ranges::find_if(empty_, fits);
    if (found == empty_.end()) {
        refused_ = bytes;
        return std::nullopt;
    }
    const std::int64_t offset = found->begin;
    found->begin += bytes;
    found->bytes -= bytes;
    if (found->bytes == 0) empty_.erase(found);
    free_ -= bytes;
    return offset;
}

void Heap::give(std::int64_t offset, std::int64_t bytes) {
    free_ += bytes;
    refused_ = none;
    const auto next = std::ranges::lower_bound(empty_, offset, {}, &Segment::begin);
    const bool joins_next = next != empty_.end() && next->begin == offset + bytes;
    const auto before = next == empty_.begin() ? empty_.end() : std::prev(next);
    if (before != empty_.end() && before->end() == offset) {
        before->bytes += bytes + (joins_next ? next->bytes : 0);
        if (joins_next) empty_.erase(next);
    } else if (joins_next) {
        next->begin = offset;
        next->bytes += bytes;
    } else {
        empty_.insert(next, {offset, bytes});
    }
}

std::int64_t Heap::largest() const {
    std::int64_t most = 0;
    for (const Segment& segment : empty_) most = std::max(most, segment.bytes);
    return most;
}

double Heap::fragmentation() const {
    if (free_ == 0) return 0;
    return 1 - static_cast<double>(largest()) / static_cast<double>(free_);
}

}  // namespace gemmill
