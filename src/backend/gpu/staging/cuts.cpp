// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/cuts.hpp"

#include <algorithm>

namespace gemmill {
namespace {

struct Cut {
    index_t cols = 1;  // of a part
    index_t rows = 0;  // of a part
    index_t down = 1;  // parts of a column
    index_t parts = 0;
};

index_t groups(index_t all, index_t each) { return (all + each - 1) / each; }

Cut cut_of(const CopyArgs& args, index_t slot_bytes) {
    const index_t most = std::max<index_t>(1, slot_bytes / args.bytes);
    if (args.rows > most) {
        const index_t down = groups(args.rows, most);
        return {1, groups(args.rows, down), down, down * args.cols};
    }
    const index_t cols = std::max<index_t>(1, most / std::max<index_t>(1, args.rows));
    return {cols, args.rows, 1, groups(args.cols, cols)};
}

/// At most so many rows and columns of a copy from an element on.
CopyArgs block_of(const CopyArgs& args, index_t row, index_t col, index_t rows, index_t cols) {
    CopyArgs p = args;
    p.from = static_cast<const std::byte*>(args.from) + (row + col * args.from_ld) * args.bytes;
    p.to = static_cast<std::byte*>(args.to) + (row + col * args.to_ld) * args.bytes;
    p.rows = std::min(rows, args.rows - row);
    p.cols = std::min(cols, args.cols - col);
    p.shift = args.shift + row - col;
    return p;
}

}  // namespace

index_t parts_of(const CopyArgs& args, index_t slot_bytes) {
    return cut_of(args, slot_bytes).parts;
}

CopyArgs part_of(const CopyArgs& args, index_t part, index_t slot_bytes) {
    const Cut cut = cut_of(args, slot_bytes);
    return block_of(args, part % cut.down * cut.rows, part / cut.down * cut.cols, cut.rows,
                    cut.cols);
}

CopyArgs from_slot(CopyArgs part, const std::byte* slot) {
    part.from = slot;
    part.from_ld = part.rows;
    return part;
}

CopyArgs to_slot(CopyArgs part, std::byte* slot) {
    part.triangle = Triangle::none;
    part.to = slot;
    part.to_ld = part.rows;
    return part;
}

int shares_of(const CopyArgs& args, index_t least, int most) {
    const index_t lines = std::max(args.rows, args.cols);
    const index_t shares = args.rows * args.cols * args.bytes / least;
    return static_cast<int>(std::clamp<index_t>(std::min(shares, lines), 1, most));
}

/// Columns, or rows where there are more of them than columns for all.
CopyArgs share_of(const CopyArgs& args, int share, int shares) {
    const bool across = args.cols >= shares;
    const index_t all = across ? args.cols : args.rows;
    const index_t first = all * share / shares, count = all * (share + 1) / shares - first;
    return across ? block_of(args, 0, first, args.rows, count)
                  : block_of(args, first, 0, count, args.cols);
}

}  // namespace gemmill
