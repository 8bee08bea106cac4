// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/heap.hpp"

#include <algorithm>
#include <iterator>

namespace gemmill {

Heap::Heap(std::int64_t begin, std::int64_t bytes) : size_(bytes), free_(bytes) {
    if (bytes > 0) empty_.emplace(begin, bytes);
}

std::optional<std::int64_t> Heap::take(std::int64_t bytes) {
    if (bytes > free_) return std::nullopt;
    const auto fits = [&](const auto& segment) { return segment.second >= bytes; };
    const auto found = std::ranges::find_if(empty_, fits);
    if (found == empty_.end()) return std::nullopt;
    const auto [offset, length] = *found;
    empty_.erase(found);
    if (length > bytes) empty_.emplace(offset + bytes, length - bytes);
    occupied_.emplace(offset, bytes);
    free_ -= bytes;
    return offset;
}

void Heap::give(std::int64_t offset) {
    const auto taken = occupied_.find(offset);
    std::int64_t begin = offset, length = taken->second;
    free_ += length;
    occupied_.erase(taken);
    auto next = empty_.lower_bound(offset);
    if (next != empty_.end() && next->first == offset + length) {
        length += next->second;
        next = empty_.erase(next);
    }
    if (next != empty_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == offset) {
            begin = before->first;
            length += before->second;
            empty_.erase(before);
        }
    }
    empty_.emplace(begin, length);
}

std::int64_t Heap::largest() const {
    std::int64_t most = 0;
    for (const auto& [offset, length] : empty_) most = std::max(most, length);
    return most;
}

double Heap::fragmentation() const {
    if (free_ == 0) return 0;
    return 1 - static_cast<double>(largest()) / static_cast<double>(free_);
}

}  // namespace gemmill
