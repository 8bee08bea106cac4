// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/copies.hpp"

#include <algorithm>

namespace gemmill {
namespace {

/// Bytes from which on a copy in host memory is shared among threads: a thread costs some ten
/// microseconds to begin, in which one copies a tenth of that.
constexpr std::int64_t shared_bytes = std::int64_t{4} << 20;

}  // namespace

void BoxCopies::put(const Box& box, const Address& from, const Address& to) const {
    // A device does not read the caches of the cores.
    const bool streams = static_cast<bool>(kernels_.device.begin);
    in_parts(box, [&](const Box& part, std::int64_t) {
        if (streams)
            stream_box(type_, part, from, to);
        else
            move_box(type_, part, from, to);
    });
}

void BoxCopies::pack(const Box& box, const Address& from, std::byte* to) const {
    in_parts(box, [&](const Box& part, std::int64_t before) {
        pack_box(type_, part, from, to + before);
    });
}

void BoxCopies::unpack(const Box& box, const std::byte* from, const Address& to) const {
    in_parts(box, [&](const Box& part, std::int64_t before) {
        unpack_box(type_, part, from + before, to);
    });
}

void BoxCopies::add_blocks(const Box& box, const Address& from, const Address& to,
                           std::vector<BlockCopy>& blocks) const {
    const index_t size = bytes_of(type_);
    for (const Match& cols : box.cols)
        for (const Match& rows : box.rows)
            blocks.push_back({to.data + (rows.to + cols.to * to.ld) * size, to.ld * size,
                              from.data + (rows.from + cols.from * from.ld) * size, from.ld * size,
                              rows.count * size, cols.count});
}

/// Calls f with even parts of a box and the packed bytes before each, by several threads where it
/// is large.
void BoxCopies::in_parts(const Box& box,
                         const std::function<void(const Box&, std::int64_t)>& f) const {
    const index_t cols = total(box.cols), column = total(box.rows) * bytes_of(type_);
    const index_t parts = std::min(cols, cols * column / shared_bytes);
    if (!kernels_.each || parts < 2) return f(box, 0);
    kernels_.each(static_cast<std::size_t>(parts), [&](std::size_t i, std::size_t) {
        const auto at = static_cast<index_t>(i);
        const index_t first = cols * at / parts, last = cols * (at + 1) / parts;
        f({box.rows, positions(box.cols, first, last - first)}, first * column);
    });
}

}  // namespace gemmill
