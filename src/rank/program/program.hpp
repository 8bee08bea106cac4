// SPDX-License-Identifier: Apache-2.0
// What one rank does for a product, as data.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rank/share/work.hpp"

namespace gemmill {

/// A message of a panel: made here where `from` is this rank, else received and passed on.
struct Fetch {
    int operand = 0;  ///< 0: A, 1: B of the stage's term
    int stage = 0;
    int from = -1;        ///< who sends it to this rank; this rank itself: it packs it
    std::vector<int> to;  ///< who gets it from this rank
    int hop = 0;          ///< of a chain: how many ranks have passed it on before this one gets it
    std::int64_t tag = 0;
    Box box;
    std::int64_t offset = 0, bytes = 0;  ///< of the packed bytes in the arena
    std::int64_t piece = 0;  ///< bytes that go at a time, one behind the other with the same tag
};

/// What this rank has of a panel that lies in memory of its node.
struct Placement {
    int operand = 0;
    int group = 0;  ///< of readers
    Box box;
    index_t ld = 1;  ///< of the panel
};

/// A factor of one stage: in the arena, in the memory of the node, or where the user has it.
struct Panel {
    bool at_home = false;
    int group = -1;              ///< of readers who share it; it lies in the arena of the first
    std::vector<int> sources;    ///< other ranks that put a part of it there
    index_t rows = 0, cols = 0;  ///< as it is stored
    index_t ld = 1;
    std::int64_t offset = 0;            ///< bytes from the arena, or elements from the user's array
    Box own;                            ///< what this rank has of it itself
    IndexSet row_indices, col_indices;  ///< global; only where not all elements are taken
};

/// Rows x columns of a block of C that one term and one part of k add to.
struct Stage {
    int term = 0, block = 0;
    index_t row = 0, rows = 0, col = 0, cols = 0, depth = 0;
    std::array<Panel, 2> panels;
    std::vector<Placement> placements;
    bool overwrites = false;  ///< the first one of its block, which makes all of it
};

/// A block of C that a rank makes at a time; offsets are places in its local array when it is
/// made in place, and positions in the sums otherwise.
struct CBlock {
    IndexSet rows, cols;
};

enum class RankOp : std::uint8_t {
    receive,  ///< a fetch is expected; when it has come it is passed on
    send,     ///< a fetch is packed and sent
    keep,     ///< panels of a stage, also those of others, get what the rank has itself
    await,    ///< all others have put their parts into a stage's panels
    unpack,   ///< a fetch is waited for and put into its panel
    mask,     ///< elements of a stage's panels that count as zero or one are set so
    clear,    ///< the sums of a block begin at zero
    product,  ///< of a stage
    write,    ///< a block of C = beta C + sums
    drain,    ///< a stage has been made and sent, and its place may be used again
};

struct RankStep {
    RankOp op = RankOp::receive;
    int index = 0;  ///< of a fetch (receive, send, unpack), block (clear, write) or stage
};

struct RankProgram {
    std::vector<Stage> stages;
    std::vector<CBlock> blocks;
    std::vector<Fetch> fetches;
    std::vector<RankStep> steps;
    /// Groups of ranks that share a panel, by operand; empty: ranks send one another messages.
    std::array<std::vector<std::vector<int>>, 2> readers;
    bool direct = false;  ///< products go straight into C
    index_t sums_ld = 1;
    std::int64_t sums_bytes = 0;   ///< at the beginning of the arena
    std::int64_t arena_bytes = 0;  ///< all memory that it takes
    /// Panel A of stage s begins at first + s % places * stride, panel B `second` bytes behind it.
    int places = 1;
    bool on_device = false;        ///< panels and sums lie in device memory that all ranks see
    std::int64_t panel_bytes = 0;  ///< of panels there
    std::int64_t first = 0, stride = 0, second = 0;
    /// Bytes of the largest panels of A and B, where they are copied to a device; 0: they are not.
    std::array<std::int64_t, 2> uploaded{};
    /// For the sums, and behind them for panels there or for those of uploaded_stages.
    std::int64_t device_bytes() const;
    std::int64_t sent_bytes = 0;  ///< that other ranks get from this one
};

/// A step as a line for people: "12 send A to 3 5, 4096 bytes".
std::string name_of(const RankProgram& program, const RankStep& step);

/// Whether a message is sent from the device's memory.
bool is_sent_from_device(const DistUpdate& update, const RankProgram& program, const Fetch& fetch);

/// The rank in whose arena a panel of the node lies.
inline int owner_of(const RankProgram& program, int operand, int group) {
    return program.readers[static_cast<std::size_t>(operand)][static_cast<std::size_t>(group)]
        .front();
}

/// Bytes up to the next place for a panel: every kernel likes addresses that are multiples of 64.
inline std::int64_t rounded_up(std::int64_t bytes) {
    constexpr std::int64_t alignment = 64;
    return (bytes + alignment - 1) / alignment * alignment;
}

/// Bytes that a program takes itself.
std::int64_t own_bytes(const RankProgram& program);

}  // namespace gemmill
