// SPDX-License-Identifier: Apache-2.0
#include "rank/message/boxes.hpp"

#include <algorithm>

#include "kernel/reference/numbers.hpp"
#include "matrix/view.hpp"

namespace gemmill {
namespace {

template <class T>
T* element(const Address& at, index_t row, index_t col) {
    return reinterpret_cast<T*>(at.data) + row + col * at.ld;
}

/// The same elements in a dense place, from or to.
Matches dense_to(Matches matches) {
    index_t next = 0;
    for (Match& match : matches) match.to = next, next += match.count;
    return matches;
}
Matches dense_from(Matches matches) {
    index_t next = 0;
    for (Match& match : matches) match.from = next, next += match.count;
    return matches;
}

/// Neighbours that are so on both sides, as one.
Matches merged(const Matches& matches) {
    Matches result;
    for (const Match& x : matches)
        if (!result.empty() && result.back().from + result.back().count == x.from &&
            result.back().to + result.back().count == x.to)
            result.back().count += x.count;
        else
            result.push_back(x);
    return result;
}

using CopyBlock = decltype(copy_block)*;

void copy_straight(CopyBlock copy, index_t size, const Box& box, const Address& from,
                   const Address& to) {
    const Matches all_rows = merged(box.rows);
    for (const Match& cols : merged(box.cols))
        for (const Match& rows : all_rows)
            copy(from.data + (rows.from + cols.from * from.ld) * size, from.ld,
                 to.data + (rows.to + cols.to * to.ld) * size, to.ld, rows.count, cols.count, size);
}

template <class T, bool conjugated>
void copy_tile(const T* from, index_t from_ld, T* to, index_t to_ld, index_t rows, index_t cols) {
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < cols; ++j) {
            const T& x = from[i + j * from_ld];
            to[j + i * to_ld] = conjugated ? conjugate(x) : x;
        }
}

template <class T, bool conjugated>
void copy_transposed(const Box& box, const Address& from, const Address& to) {
    // A square of both sides stays in the first cache.
    constexpr index_t edge = 32;
    for (const Match& cols : box.cols)
        for (const Match& rows : box.rows)
            for (index_t j = 0; j < cols.count; j += edge)
                for (index_t i = 0; i < rows.count; i += edge)
                    copy_tile<T, conjugated>(element<T>(from, rows.from + i, cols.from + j),
                                             from.ld, element<T>(to, cols.to + j, rows.to + i),
                                             to.ld, std::min(edge, rows.count - i),
                                             std::min(edge, cols.count - j));
}

template <class T>
void add_straight(const Box& box, const Address& from, const Address& to, T keep) {
    for (const Match& cols : box.cols)
        for (index_t j = 0; j < cols.count; ++j)
            for (const Match& rows : box.rows) {
                const T* x = element<T>(from, rows.from, cols.from + j);
                T* c = element<T>(to, rows.to, cols.to + j);
                for (index_t i = 0; i < rows.count; ++i) c[i] = scaled(keep, c[i]) + x[i];
            }
}

Address dense(const Box& box, const std::byte* buffer) {
    return {const_cast<std::byte*>(buffer), std::max<index_t>(1, total(box.rows))};
}

}  // namespace

void move_box(Type type, const Box& box, const Address& from, const Address& to, Op op) {
    if (box.is_empty()) return;
    if (op == Op::NoTrans) return copy_straight(copy_block, bytes_of(type), box, from, to);
    with_type(type, [&]<class T>() {
        if (op == Op::ConjTrans && is_complex(type))
            copy_transposed<T, true>(box, from, to);
        else
            copy_transposed<T, false>(box, from, to);
    });
}

void stream_box(Type type, const Box& box, const Address& from, const Address& to) {
    copy_straight(stream_block, bytes_of(type), box, from, to);
}

void pack_box(Type type, const Box& box, const Address& from, std::byte* buffer) {
    move_box(type, {dense_to(box.rows), dense_to(box.cols)}, from, dense(box, buffer));
}

void unpack_box(Type type, const Box& box, const std::byte* buffer, const Address& to, Op op) {
    move_box(type, {dense_from(box.rows), dense_from(box.cols)}, dense(box, buffer), to, op);
}

void add_box(Type type, const Box& box, const std::byte* buffer, const Address& to, Scalar keep) {
    if (box.is_empty()) return;
    with_type(type, [&]<class T>() {
        if constexpr (!is_short(type_of<T>))
            add_straight<T>({dense_from(box.rows), dense_from(box.cols)}, dense(box, buffer), to,
                            from_scalar<T>(keep));
    });
}

}  // namespace gemmill
