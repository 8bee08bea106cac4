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
    Ref bring(TileId tile, MemoryId to, std::span<const MemoryId> sharers);
    /// Memories that the last bring() sent the tile to.
    std::span<const MemoryId> sent() const { return sent_; }
    bool present(TileId tile, MemoryId memory) const;
    /// A copy besides the one at home that may be used again.
    std::optional<BufferId> copy_of(TileId tile, MemoryId memory) const;
    /// What a buffer holds is a copy of its tile from now on, or is one no more.
    void adopt(const Ref& here);
    void forget(TileId tile, MemoryId memory) { set_resident(tile, memory, -1); }

    /// A place for a tile of C; with `filled` the user's tile is fetched into it.
    Ref place(TileId tile, MemoryId memory, bool filled);
    /// Sends a finished sum to the user's C and frees its slot.
    void write_back(const Ref& sum);

    /// A kernel of a device, booked with the time it takes.
    void compute(const Step& step, DeviceId device, double seconds);

  private:
    LinkId link_between(MemoryId from, MemoryId to) const;
    bool is_home(TileId tile, MemoryId memory) const;
    /// In resident_.
    std::size_t place_of(TileId tile, MemoryId memory) const {
        return static_cast<std::size_t>(tile) * plan_.machine.memories.size() +
               static_cast<std::size_t>(memory);
    }
    std::optional<BufferId> resident(TileId tile, MemoryId memory) const;
    void set_resident(TileId tile, MemoryId memory, BufferId buffer);
    BufferId take(TileId tile, MemoryId memory);

    struct Source {
        MemoryId memory = -1;
        double end = 0;
    };
    std::optional<Source> best_source(TileId tile, MemoryId to) const;
    Ref copy_in(TileId tile, MemoryId memory) const;
    void fetch(TileId tile, const Ref& to);
    void fetch_chain(TileId tile, std::vector<MemoryId> targets);
    void move(Opcode kind, const Ref& from, const Ref& to);
    void move_pieces(const Ref& from, const Ref& to, int pieces, double ready);
    Builder::Pool& relay_pool(OperandId operand);
    MemoryId host_memory() const;
    double bytes(TileId tile) const;
    void serialize(MemoryId memory);

    Draft& plan_;
    Builder& builder_;
    Estimate& estimate_;
    const Policy& policy_;
    std::vector<std::array<std::optional<Builder::Pool>, 3>> pools_;  // by memory
    std::array<std::optional<Builder::Pool>, 3> relays_;              // on the host, by operand
    std::vector<BufferId> resident_;                                  // by tile, then memory
    std::vector<StepId> last_;                                        // step of each memory
    std::vector<bool> reachable_;  // memories that send and receive directly
    std::vector<MemoryId> sent_;
};

}  // namespace gemmill
