// SPDX-License-Identifier: Apache-2.0
// Elements that move together: rows of one index set and columns of another.
#pragma once

#include <cstddef>

#include "gemmill/types.hpp"
#include "matrix/index_set.hpp"

namespace gemmill {

/// Where a holding lies, column-major; offsets of its index sets count from `data`.
struct Address {
    std::byte* data = nullptr;
    index_t ld = 1;
};

/// What two holdings have in common, by rows and columns of the one it comes from. Where it is
/// transposed on the way, `to` of its rows counts columns, and that of its columns rows.
struct Box {
    Matches rows, cols;
    bool is_empty() const { return rows.empty() || cols.empty(); }
    index_t elements() const { return total(rows) * total(cols); }
};

/// Copies a box from one place to another, where it arrives as op of it.
void move_box(Type type, const Box& box, const Address& from, const Address& to,
              Op op = Op::NoTrans);
/// The same past the caches, for whoever reads it from memory.
void stream_box(Type type, const Box& box, const Address& from, const Address& to);
/// Copies it into a buffer, column by column without gaps.
void pack_box(Type type, const Box& box, const Address& from, std::byte* buffer);
/// And from there.
void unpack_box(Type type, const Box& box, const std::byte* buffer, const Address& to,
                Op op = Op::NoTrans);
/// to = keep to + the box in a buffer, where `keep` is what C is multiplied by; 0 does not read it.
void add_box(Type type, const Box& box, const std::byte* buffer, const Address& to, Scalar keep);

}  // namespace gemmill
