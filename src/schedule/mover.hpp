// SPDX-License-Identifier: Apache-2.0
// Brings tiles to memories and sums back home. Copies in the directory are the L2 tile cache: a
// tile comes from a neighbour that has it, or from where it lives.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/issuer.hpp"
#include "schedule/memory/traffic.hpp"
#include "schedule/options.hpp"

namespace gemmill {

/// A tile where a step can use it; `copy` is held for that step, -1: it is at home.
struct Brought {
    Ref ref;
    CopyId copy = -1;
};

/// Pieces in which a tile of so many bytes comes to its readers: one for each of them at most, of
/// `least` bytes at least (0: it comes whole), and no more than shorten its way by more than the
/// steps cost that are issued for them.
double pieces_for(double bytes, double bandwidth, double issue, double readers, double least);

class Mover {
  public:
    Mover(Issuer& issuer, TileCaches& caches, const ScheduleOptions& options, const Traffic& idle);

    /// Nothing when there is no room for now.
    std::optional<Brought> bring(TileId tile, MemoryId to);
    /// A task that has begun there will read the tile.
    void want(TileId tile, MemoryId memory) {
        tiles_[static_cast<std::size_t>(tile)].wanted |= Directory::bit(memory);
    }
    /// The user's own tile, even where others read the new one; not for anyone else to read.
    std::optional<Brought> bring_old(TileId tile, MemoryId to);
    /// Fetches the user's tile into a sum's place, or copies it from one that is there. False when
    /// there is no room for now.
    bool fill(CopyId sum);
    /// Sends a sum home; the copy is held until it is there, when the task ends. False when there
    /// is no room for now.
    bool write(CopyId sum, TaskId task);

    /// Whether the user's memory has the tile as steps may read it.
    bool is_home(TileId tile) const { return tiles_[static_cast<std::size_t>(tile)].is_home; }
    bool is_at_home(TileId tile, MemoryId memory) const {
        return home_of(tile) == memory && is_home(tile);
    }
    void set_home(TileId tile, bool valid) {
        tiles_[static_cast<std::size_t>(tile)].is_home = valid;
    }

    double now() const { return now_; }
    void set_now(double now) { now_ = now; }
    /// Tiles on their way to a memory.
    int arriving(MemoryId memory) const { return arriving_[static_cast<std::size_t>(memory)]; }
    /// A copy, or a piece of it, has come over a link.
    void note_arrival(CopyId copy);
    Traffic& traffic() { return traffic_; }
    /// Why the last one that returned nothing did so.
    std::string reason() const;

  private:
    struct Source {
        MemoryId memory = -1;
        CopyId copy = -1;  // -1: at home
        double cost = 0;
    };
    Source find_source(TileId tile, MemoryId to) const;
    void consider(Source& best, const Source& other, MemoryId to, std::int64_t bytes) const;
    MemoryId find_way(TileId tile, const Source& direct, MemoryId to) const;
    std::optional<Source> by_way_of(TileId tile, const Source& direct, MemoryId way);
    std::optional<Source> source_or_relay(TileId tile, MemoryId to);
    CopyId find_old(TileId tile, MemoryId memory) const;
    bool fill_by_way_of(MemoryId way, CopyId sum);
    void require_relay(MemoryId from, MemoryId to) const;
    std::span<const MemoryId> sharers_of(TileId tile, MemoryId to);
    int pieces_of(TileId tile, LinkId link, std::size_t readers) const;
    bool share(TileId tile, MemoryId to);
    std::optional<Brought> hold(TileId tile, MemoryId memory);
    std::vector<std::size_t> carriers(MemoryId home, const std::vector<CopyId>& copies,
                                      int pieces) const;
    void pass_on(const std::vector<CopyId>& copies, std::size_t first, int piece, int pieces);
    CopyId take(TileId tile, MemoryId memory, Zone zone = Zone::inputs);
    void fetch(const Source& from, CopyId to, int piece = 0, int pieces = 1);
    QueueId queue(LinkId link);
    MemoryId home_of(TileId tile) const { return tiles_[static_cast<std::size_t>(tile)].home; }
    std::int64_t bytes_of(TileId tile) const {
        return tiles_[static_cast<std::size_t>(tile)].bytes;
    }
    [[noreturn]] void refuse(MemoryId from, MemoryId to) const;

    Issuer& issuer_;
    TileCaches& caches_;
    const ScheduleOptions& options_;
    Traffic traffic_;
    const MemoryId relay_;
    struct Known {
        MemoryId home = -1;
        std::int64_t bytes = 0;
        std::uint64_t wanted = 0;  // a bit for each memory
        bool is_home = true;
    };
    std::vector<Known> tiles_;         // by tile
    std::vector<MemoryId> computing_;  // memories of the plan's devices
    std::vector<MemoryId> sharers_;    // of the last tile
    std::vector<int> arriving_;        // by memory
    double now_ = 0;
    struct Refused {
        TileId tile = -1;
        MemoryId memory = -1;
    };
    Refused refused_;  // what there was no room for last
};

}  // namespace gemmill
