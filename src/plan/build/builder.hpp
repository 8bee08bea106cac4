// SPDX-License-Identifier: Apache-2.0
// Puts a plan together: tiles, queues, slots that buffers take one after the other, and the waits
// that make it safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory_resource>
#include <queue>
#include <utility>
#include <vector>

#include "gemmill/plan.hpp"

namespace gemmill {

/// Places in memory begin at multiples of so many bytes, whatever element lies there.
inline constexpr std::int64_t slot_alignment = 256;

/// Bytes of a slot for a tile in a plan of this grain: whole lines of memory.
std::int64_t slot_bytes(index_t rows, index_t cols, Type type, index_t grain);

class Builder {
  public:
    /// Starts with the plan's machine, operands, goal, devices and limits set.
    /// emit() throws Error(out_of_memory) where the plan would have more than `most_steps`.
    explicit Builder(Plan& plan, double most_steps = std::numeric_limits<double>::infinity());

    /// The id of a tile, made when it is new.
    TileId tile(const Tile& tile);

    QueueId compute_queue(DeviceId device, int number);
    /// One more, whose kernels go before those of the others.
    QueueId urgent_queue(DeviceId device);
    QueueId transfer_queue(LinkId link);
    /// The link between two memories, or -1.
    LinkId link(MemoryId from, MemoryId to) const;

    /// Reserves slots in a memory for tiles of one operand. Throws Error(out_of_memory).
    struct Pool {
        MemoryId memory = -1;
        std::int64_t slot_bytes = 0;
        std::vector<BufferId> slots;  ///< who lies there; -1: nobody yet
        std::size_t next = 0;         ///< slots are taken in turn
        std::int64_t offset = 0;
        bool lru = false;  ///< slots are taken from whoever was used longest ago
        /// Slots by a use that may not be their last any more; only with lru.
        std::priority_queue<std::pair<StepId, std::uint32_t>,
                            std::vector<std::pair<StepId, std::uint32_t>>, std::greater<>>
            by_use{};
    };
    Pool make_pool(MemoryId memory, std::int64_t slot_bytes, index_t slots);

    /// A place that buffers take one after the other.
    struct Seat {
        MemoryId memory = -1;
        std::int64_t offset = 0, bytes = 0;
        BufferId taken = -1;  ///< by whom last
    };
    /// Throws Error(out_of_memory).
    Seat make_seat(MemoryId memory, std::int64_t bytes);
    /// A buffer for the tile there. All steps of who had the seat must be emitted before the first
    /// of this one, but not before this call.
    BufferId sit(Seat& seat, TileId tile);

    /// A buffer for the tile at an offset that the caller manages; the slab grows to hold it. All
    /// steps of whoever had a part of the place must be emitted before. Throws
    /// Error(out_of_memory).
    BufferId place(MemoryId memory, std::int64_t offset, std::int64_t bytes, TileId tile);
    /// From now on steps that use the target where it lives wait for each other too, tile by tile:
    /// two tiles of it must be the same or have nothing in common.
    void follow_target() { follows_target_ = true; }

    /// A buffer of its own for the tile, which stays. Throws Error(out_of_memory).
    BufferId keep(MemoryId memory, TileId tile);
    /// A buffer for the tile in the pool's oldest slot that is not held, or least recently used.
    BufferId take(Pool& pool, TileId tile);
    /// A held buffer keeps its slot until it is let go.
    void hold(BufferId buffer) { stays_[static_cast<std::size_t>(buffer)].held = true; }
    void let_go(BufferId buffer) { stays_[static_cast<std::size_t>(buffer)].held = false; }
    /// Whether the buffer still has its slot.
    bool alive(BufferId buffer) const { return stays_[static_cast<std::size_t>(buffer)].alive; }

    /// Appends a step. What it must wait for follows from the parts of buffers that it touches: the
    /// last writers of its inputs, and for its output also the last readers and whoever had the
    /// slot before.
    StepId emit(Step step);
    /// Makes the next step wait for this one as well.
    void also_wait(StepId step) { extra_.push_back(step); }

    /// Moves a tile, or a piece of it, over the link between two memories, which must exist. A
    /// piece that comes from a buffer waits for the same piece to arrive there.
    StepId move(Opcode kind, const Ref& from, const Ref& to, int piece = 0, int pieces = 1);

  private:
    struct Use {
        QueueId queue = -1;
        StepId step = -1;
        Tile part;               // of the buffer's tile
        std::int32_t next = -1;  // in its list
    };
    /// The first of a list in uses_, the latest one; -1: none.
    using Uses = std::int32_t;
    struct Stay {
        Uses reads = -1;      // last ones of each queue
        Uses writes = -1;     // last ones of each queue
        Uses before = -1;     // of who had the slot
        Tile read, written;   // around all parts that are in `reads`, and in `writes`
        bool apart = true;    // no two of `writes` overlap
        BufferId after = -1;  // who has the seat, until the first step
        bool held = false;
        bool alive = true;
    };
    bool held(BufferId buffer) const;
    std::size_t pick_slot(const Pool& pool) const;
    std::size_t pick_lru(Pool& pool) const;
    /// The tile at a place, with nothing to wait for.
    BufferId add_buffer(MemoryId memory, std::int64_t offset, std::int64_t bytes, TileId tile);
    Uses leave(Stay& stay);
    void wait_for(QueueId queue, StepId step) {
        StepId& latest = latest_[static_cast<std::size_t>(queue)];
        if (latest < 0) wanted_.push_back(queue);
        latest = std::max(latest, step);
    }
    void wait_for(Uses uses, const Tile& part);
    void wait_for_writes(const Stay& stay, const Tile& part);
    void finish_waits(Step& step);
    Use& use_at(Uses use) { return uses_[static_cast<std::size_t>(use)]; }
    void add(Uses& uses, Use use);
    void add_copies(Uses& uses, Uses of);
    bool drop_covered(Uses& uses, Tile& around, const Tile& part);
    void note(Uses& uses, const Use& use);
    void note_write(Stay& stay, const Step& step, const Use& use);
    Stay* stay_of(const Ref& ref);
    Stay* touch(const Ref& ref, StepId step);
    void settle(BufferId id);

    struct Occupant {
        std::int64_t end;
        BufferId buffer;
    };

    Plan& plan_;
    const double most_steps_;
    // What is remembered grows with the plan and goes with it.
    std::pmr::monotonic_buffer_resource memory_;
    std::vector<Use> uses_;
    std::vector<Stay> stays_;
    std::vector<std::pmr::map<std::int64_t, Occupant>> places_;  // by memory, of place()
    std::vector<Stay> homes_;  // by tile, of a target that is followed
    bool follows_target_ = false;
    void rehash(std::size_t places);
    std::vector<TileId> tile_ids_;  // at the place of their hash, or behind it; -1: none
    std::vector<std::vector<QueueId>> compute_ids_;  // by device, then number; -1: none yet
    std::map<DeviceId, QueueId> urgent_ids_;
    std::vector<QueueId> transfer_ids_;  // by link
    std::vector<LinkId> links_;          // by both memories
    std::vector<StepId> latest_;         // wanted waits of the next step, by queue
    std::vector<QueueId> wanted_;
    std::vector<StepId> extra_;
};

}  // namespace gemmill
