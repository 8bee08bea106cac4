// SPDX-License-Identifier: Apache-2.0
// Which memory holds which tile, and in which state (MESI-X of the BLASX paper).
#pragma once

#include <cstdint>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

using CopyId = std::int32_t;

/// M: a sum that is being made and not yet written; ends with the write. E, S: one or several
/// memories hold a copy. I: only its home has it.
enum class TileState : std::uint8_t { M, E, S, I };

class Directory {
  public:
    Directory(std::size_t tiles, std::size_t memories)
        : memories_(memories), copies_(tiles * memories, -1), holders_(tiles), made_(tiles) {}

    /// The copy of a tile in a memory, or -1.
    CopyId find(TileId tile, MemoryId memory) const { return copies_[index(tile, memory)]; }
    void add(TileId tile, MemoryId memory, CopyId copy) {
        copies_[index(tile, memory)] = copy;
        holders_[static_cast<std::size_t>(tile)] |= bit(memory);
        ++changes_;
    }
    void remove(TileId tile, MemoryId memory) {
        copies_[index(tile, memory)] = -1;
        holders_[static_cast<std::size_t>(tile)] &= ~bit(memory);
        ++changes_;
    }

    /// How often a memory got or lost a copy.
    std::uint64_t changes() const { return changes_; }
    /// Memories with a copy, a bit for each.
    std::uint64_t holders(TileId tile) const { return holders_[static_cast<std::size_t>(tile)]; }

    void set_made(TileId tile, bool made) { made_[static_cast<std::size_t>(tile)] = made; }
    TileState state(TileId tile) const {
        if (made_[static_cast<std::size_t>(tile)]) return TileState::M;
        const std::uint64_t all = holders(tile);
        if (all == 0) return TileState::I;
        return (all & (all - 1)) == 0 ? TileState::E : TileState::S;
    }

    static constexpr std::size_t most_memories = 64;
    static std::uint64_t bit(MemoryId memory) { return std::uint64_t{1} << memory; }

  private:
    std::size_t index(TileId tile, MemoryId memory) const {
        return static_cast<std::size_t>(tile) * memories_ + static_cast<std::size_t>(memory);
    }

    std::size_t memories_;
    std::vector<CopyId> copies_;          // by tile, then memory
    std::vector<std::uint64_t> holders_;  // by tile
    std::vector<bool> made_;              // by tile
    std::uint64_t changes_ = 0;
};

}  // namespace gemmill
