// SPDX-License-Identifier: Apache-2.0
// The L1 tile caches: what lies in each memory, who reads it, and what goes when room is short.
//
// A memory has three heaps. Sums have one of their own, so that tiles that come and go cannot leave
// a device without a place to begin its next target; it holds new tiles that others read as well.
// Old targets that come late have slots of one size, so that there is always one for who waits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/build/builder.hpp"
#include "schedule/memory/directory.hpp"
#include "schedule/memory/heap.hpp"

namespace gemmill {

enum class Zone : std::uint8_t { sums, inputs, olds };

/// How tasks are to follow each other, so that what they read serves many of them before it goes:
/// column by column or row by row of targets where there is room for what all lines read, in blocks
/// of targets that are made together, or, where tasks read each other's targets, some chains of
/// them at a time. Any order where all inputs can stay, or where chance must do.
enum class Reuse : std::uint8_t { chance, all, columns, rows, blocks, chains };

/// Bytes of the heaps of a memory.
struct Zones {
    std::int64_t sums = 0, inputs = 0;
    std::int64_t olds = 0;  ///< old targets that come late; 0: none can
    std::int64_t old = 0;   ///< one of them
    Reuse reuse = Reuse::chance;
    int together = 0;  ///< sums of a block, or chains
};

/// A tile in a buffer.
struct Copy {
    TileId tile = -1;
    MemoryId memory = -1;
    BufferId buffer = -1;
    Zone zone = Zone::inputs;
    std::int64_t offset = 0, bytes = 0;
    std::int32_t readers = 0;  ///< steps that use it and have not ended, and who else holds it
    bool listed = false;       ///< in the directory, for anyone to read
    bool arrived = false;
    bool mirrored = false;           ///< the triangle that is not stored was filled up
    std::int16_t missing = 0;        ///< pieces on their way
    double eta = 0;                  ///< when it is expected, while it has not arrived
    CopyId before = -1, after = -1;  ///< in the list of those without readers
};

class TileCaches {
  public:
    /// A tile in `listed` use is dropped with its last reader when `keeps` is false.
    TileCaches(Builder& builder, const Plan& plan, std::span<const Zones> zones, bool keeps);

    Copy& at(CopyId copy) { return copies_[static_cast<std::size_t>(copy)]; }
    const Copy& at(CopyId copy) const { return copies_[static_cast<std::size_t>(copy)]; }
    Directory& directory() { return directory_; }
    const Directory& directory() const { return directory_; }

    /// A place for a tile, with one reader: the caller. The least recently used tiles without
    /// readers make room. -1: those with readers leave too little.
    CopyId take(TileId tile, MemoryId memory, Zone zone);
    /// Puts a copy into the directory, in the place of none.
    void list(CopyId copy);
    /// Copies of a tile that is overwritten are of no use any more.
    void forget(TileId tile);

    void pin(CopyId copy) {
        if (at(copy).readers++ == 0) unlink(copy);
    }
    /// A copy without readers goes when it is not listed, or when `needed` is false.
    void unpin(CopyId copy, bool needed) {
        if (--at(copy).readers == 0) leave(copy, needed);
    }

    const Heap& heap(MemoryId memory, Zone zone) const {
        return places_[place_index(memory, zone)].heap;
    }
    /// Whether a tile that is read can come without another one having to go. Where not all that is
    /// read has room, what is free in parts may not do for it.
    bool has_room(TileId tile, MemoryId memory) const;

  private:
    struct List {
        CopyId first = -1, last = -1;
    };
    struct Place {
        Heap heap;
        List unread;  // without readers, the one to go first in front
    };
    static std::size_t place_index(MemoryId memory, Zone zone) {
        constexpr std::size_t zones = 3;
        return zones * static_cast<std::size_t>(memory) + static_cast<std::size_t>(zone);
    }
    Place& place_of(const Copy& copy) { return places_[place_index(copy.memory, copy.zone)]; }
    void leave(CopyId id, bool needed);
    void push(CopyId id);
    void unlink(CopyId id);
    void drop(CopyId id);

    Builder& builder_;
    const std::vector<std::int64_t> slots_;  // bytes, by tile
    const bool keeps_;
    Directory directory_;
    std::vector<Place> places_;       // by memory, then zone
    std::vector<std::int64_t> olds_;  // bytes of an old target, by memory
    std::vector<bool> holds_all_;     // that is read, by memory
    std::vector<Copy> copies_;
    std::vector<CopyId> unused_;
};

}  // namespace gemmill
