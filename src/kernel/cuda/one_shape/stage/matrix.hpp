// SPDX-License-Identifier: Apache-2.0
// How a block has a matrix of its products in shared memory (stage.cuh), and how it is copied
// there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemmill/batch.hpp"

namespace gemmill::batch {

/// What a block has of A, B or C at a time: lines of contiguous elements. They come in pieces of 16
/// bytes, which lie in shared memory as far behind a multiple of 16 as where they came from.
struct StageMatrix {
    int lines, length;             // of a product as they are copied, at most
    int cost;                      // of copying it, in instructions of a thread
    int across, down;              // threads along a line, and lines that they copy at a time
    int next_product, next_line;   // so many lines further
    unsigned by_across, by_lines;  // reciprocals
    int line, product, at;         // elements from line to line and product to product; the first
    bool along;                    // lines run along an edge of C, not along k
    bool flat;                     // what lies between lines is copied, too
    bool by_elements;         // lines begin anywhere: products in order are written by elements
    bool chained;             // products, and what lies between them, are one line
    bool may_chain;           // so they are where pointers follow one another
    int apart;                // elements from product to product where they are
    bool bulk, bulk_chained;  // lines, or that line, are long enough for an instruction
};

constexpr index_t parts_of(index_t whole, index_t part) { return (whole + part - 1) / part; }
constexpr index_t up_to(index_t size, index_t unit) { return parts_of(size, unit) * unit; }
/// Of numbers below 2^16.
constexpr unsigned reciprocal(int divisor) {
    return static_cast<unsigned>((std::uint64_t{1} << 32) / static_cast<unsigned>(divisor) + 1);
}

/// Threads along a line, so that all copy in the fewest steps: a line costs some, and a piece.
inline void set_copies(StageMatrix& s, int products, int size, int threads) {
    constexpr int most_turns = 16, of_line = 20;
    constexpr int of_piece = 8, of_element = 8;
    const index_t pieces = parts_of(static_cast<index_t>(s.length) * size + 15, 16);
    const index_t lines = static_cast<index_t>(s.lines) * products;
    index_t least = 0;
    s.cost = 0;
    const bool one_line = s.chained || s.may_chain;
    if (one_line) s.cost = static_cast<int>(4 * pieces * products / threads + of_line);
    if (s.by_elements) s.cost = static_cast<int>(of_element * s.length * lines / threads + of_line);
    for (int turns = 1; turns <= most_turns || least == 0; ++turns) {
        const index_t across = parts_of(pieces, turns);
        if (across > threads) continue;
        const index_t cost = parts_of(lines, threads / across) * (of_line + of_piece * turns);
        if (least > 0 && cost >= least) continue;
        least = cost, s.across = static_cast<int>(across);
    }
    if (!one_line && !s.by_elements) s.cost = static_cast<int>(least);
    s.down = threads / s.across;
    s.next_product = s.down / s.lines, s.next_line = s.down % s.lines;
    s.by_across = reciprocal(s.across), s.by_lines = reciprocal(s.lines);
}

/// `rows` x `cols` as they are stored, of which a block has `lines` of `length` at a time.
inline StageMatrix stage_matrix(const BatchMatrix& of, index_t rows, index_t cols, index_t length,
                                index_t lines, bool along, int size) {
    constexpr index_t sector = 32, burst = 64;
    const index_t unit = 16 / size, ld = of.ld.all, gap = ld - length;
    // What threads read across lines would come from few banks.
    const bool few_banks = !along && ld * size % sector == 0;
    StageMatrix s{};
    s.along = along;
    // What memory delivers anyhow, or little beside the line itself.
    const bool small_gap = gap * size < burst || 4 * gap <= length;
    s.flat = lines == 1 || gap == 0 || (small_gap && !few_banks);
    const bool whole_products = s.flat && length == rows && lines == cols;
    s.apart = static_cast<int>(whole_products ? ld * cols : 0);
    s.chained = whole_products && of.array == nullptr && of.stride == s.apart;
    s.may_chain = whole_products && of.array != nullptr;
    index_t line = ld;
    if (!s.flat) {
        line = length + unit - 1;
        line += ((ld - line) % unit + unit) % unit;
        if (line * size % sector == 0) line += unit;
    }
    const index_t whole = s.flat ? (lines - 1) * ld + length : length;
    s.lines = static_cast<int>(s.flat ? 1 : lines);
    s.length = static_cast<int>(whole);
    s.line = static_cast<int>(line);
    s.product =
        s.chained
            ? s.apart
            : static_cast<int>(up_to(
                  std::max<index_t>(s.apart, s.flat ? whole : lines * line) + unit - 1, unit));
    return s;
}

/// Bytes of so many products.
inline index_t stage_bytes(const StageMatrix& s, index_t products, int size) {
    return up_to(products * s.product * size + (s.chained ? 15 : 0), 16);
}

}  // namespace gemmill::batch
