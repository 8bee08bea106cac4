// SPDX-License-Identifier: Apache-2.0
// Brings tiles to devices: what is where, from which copy a tile is fetched, and how it goes to
// several devices at once.
//
//   one by one:  home -> d0, home -> d1, home -> d2
//   chained:     home -> d0 -> d1 -> d2, in pieces that follow each other
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "plan/build/builder.hpp"
#include "planner/policy.hpp"
#include "planner/route/estimate.hpp"

namespace gemmill {

class TileTransport {
  public:
    TileTransport(Draft& plan, Builder& builder, Estimate& estimate, const Policy& policy);

    /// Tiles of this operand go into this pool when they come to its memory.
    void use_pool(OperandId operand, Builder::Pool pool);

    /// The tile in memory `to`: where it lives, where it was brought before, or fetched now. With
    /// chained fetches it goes to all of `sharers` that do not have it yet.
    Ref bring(TileId tile, MemoryId to, std::span<const MemoryId> sharers) {
        sent_.clear();
        if (is_home(tile, to)) return {tile, Ref::home};
        const BufferId here = copy_of(tile, to);
        return here != none ? Ref{tile, here} : bring_new(tile, to, sharers);
    }
    /// Memories that the last bring() sent the tile to.
    std::span<const MemoryId> sent() const { return sent_; }
    /// A copy besides the one at home that may be used again; -1: none.
    BufferId copy_of(TileId tile, MemoryId memory) const {
        return policy_.caching ? resident(tile, memory) : none;
    }
    /// What a buffer holds is a copy of its tile from now on, or is one no more.
    void adopt(const Ref& here);
    void forget(TileId tile, MemoryId memory) { set_resident(tile, memory, none); }

    /// A place for a tile of C; with `filled` the user's tile is fetched into it.
    Ref place(TileId tile, MemoryId memory, bool filled);
    /// Sends a finished sum to the user's C and frees its slot.
    void write_back(const Ref& sum);

    /// A kernel of a device, booked with the time it takes.
    void compute(const Step& step, DeviceId device, double seconds);

  private:
    static constexpr BufferId none = -1;

    /// Memories of devices may be cut off from all but the host.
    LinkId link_between(MemoryId from, MemoryId to) const {
        return links_[static_cast<std::size_t>(from) * memories_ + static_cast<std::size_t>(to)];
    }
    const Tile& tile_at(TileId tile) const { return plan_.tiles[static_cast<std::size_t>(tile)]; }
    MemoryId home_of(TileId tile) const {
        return plan_.problem.home[static_cast<std::size_t>(tile_at(tile).operand)];
    }
    bool is_home(TileId tile, MemoryId memory) const { return home_of(tile) == memory; }
    /// In resident_.
    std::size_t place_of(TileId tile, MemoryId memory) const {
        return static_cast<std::size_t>(tile) * memories_ + static_cast<std::size_t>(memory);
    }
    BufferId resident(TileId tile, MemoryId memory) const {
        const std::size_t place = place_of(tile, memory);
        const BufferId buffer = place < resident_.size() ? resident_[place] : none;
        return buffer >= 0 && builder_.alive(buffer) ? buffer : none;
    }
    void set_resident(TileId tile, MemoryId memory, BufferId buffer);
    BufferId take(TileId tile, MemoryId memory);

    /// A tile and the memory where it is.
    struct Copy {
        Ref ref;
        MemoryId memory = -1;
    };
    /// Copies by memory, as far as there were any; they need not be alive.
    std::span<const BufferId> copies_of(TileId tile) const {
        const std::size_t first = place_of(tile, 0);
        return first < resident_.size() ? std::span(resident_).subspan(first, memories_)
                                        : std::span<const BufferId>{};
    }
    MemoryId best_source(TileId tile, MemoryId to) const;
    double end_from(TileId tile, MemoryId from, MemoryId to) const;
    Copy copy_in(TileId tile, MemoryId memory) const {
        return {{tile, is_home(tile, memory) ? Ref::home : resident(tile, memory)}, memory};
    }
    Ref bring_new(TileId tile, MemoryId to, std::span<const MemoryId> sharers);
    Ref send(TileId tile, MemoryId to);
    void fetch(TileId tile, const Copy& to);
    void fetch_chain(TileId tile);
    StepId emit(LinkId link, Step step);
    void move(Opcode kind, const Copy& from, const Copy& to);
    void move_pieces(const Copy& from, const Copy& to, int pieces, double ready);
    Builder::Pool& relay_pool(OperandId operand);
    MemoryId host_memory() const;
    double bytes(TileId tile) const;
    /// Without overlap each step of a device waits for the one before.
    void serialize(MemoryId memory) {
        const StepId last = last_[static_cast<std::size_t>(memory)];
        if (!policy_.overlap && last >= 0) builder_.also_wait(last);
    }

    Draft& plan_;
    Builder& builder_;
    Estimate& estimate_;
    const Policy& policy_;
    const std::size_t memories_;
    std::vector<LinkId> links_;  // that are open, by both memories
    std::vector<std::array<std::optional<Builder::Pool>, 3>> pools_;  // by memory
    std::array<std::optional<Builder::Pool>, 3> relays_;              // on the host, by operand
    std::vector<BufferId> resident_;                                  // by tile, then memory
    std::vector<StepId> last_;                                        // step of each memory
    std::vector<MemoryId> targets_;                                   // of a chain
    std::vector<MemoryId> sent_;
};

}  // namespace gemmill
