// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/sums.hpp"

#include <algorithm>
#include <cstring>

#include "rank/program/walk/elements.hpp"

namespace gemmill {
namespace {

/// Bytes of C that one thread writes at a time: several times what a copy costs to begin, and few
/// enough that what came from a device is still in the cache when it is added.
constexpr std::int64_t write_bytes = std::int64_t{2} << 20;

}  // namespace

void RankSums::clear() {
    std::memset(arena_, 0, static_cast<std::size_t>(program_.sums_bytes));
    if (on_device()) kernels_.memory.copy_own(data_, arena_, program_.sums_bytes);
}

index_t RankSums::width_of(index_t count) const {
    const index_t column = program_.sums_ld * bytes_of(update_.type);
    return std::clamp<index_t>(write_bytes / column, 1, std::max<index_t>(1, count));
}

void RankSums::for_columns(index_t first, index_t count, const ForColumns& f) const {
    const index_t width = width_of(count);
    const index_t parts = (count + width - 1) / width;
    const auto one = [&](std::size_t i, std::size_t worker) {
        const index_t before = static_cast<index_t>(i) * width;
        f(first + before, std::min(width, count - before), static_cast<index_t>(worker));
    };
    if (kernels_.each) return kernels_.each(static_cast<std::size_t>(parts), one);
    for (index_t i = 0; i < parts; ++i) one(static_cast<std::size_t>(i), 0);
}

void RankSums::write(const CBlock& block, index_t first, index_t count) {
    const index_t column = program_.sums_ld * bytes_of(update_.type), width = width_of(count);
    const Address home = update_.c.at.empty() ? Address{} : update_.c.at.front();
    // What a thread brings from the device lies where it brought the part before, in its cache.
    const bool reuses = on_device() && static_cast<index_t>(kernels_.workers) * width <= count;
    for_columns(first, count, [&](index_t from, index_t cols, index_t worker) {
        std::byte* here = arena_ + (reuses ? worker * width : from) * column;
        if (on_device()) kernels_.memory.copy_own(here, data_ + from * column, cols * column);
        write_block(update_, {block.rows, positions(block.cols, from, cols)}, here,
                    program_.sums_ld, home);
    });
}

void RankSums::bring() {
    if (!on_device()) return;
    const index_t column = program_.sums_ld * bytes_of(update_.type);
    for (const CBlock& block : program_.blocks)
        for_columns(0, total(block.cols), [&](index_t first, index_t count, index_t) {
            kernels_.memory.copy_own(arena_ + first * column, data_ + first * column,
                                     count * column);
        });
}

}  // namespace gemmill
