// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/cache.hpp"

#include <bit>

#include "plan/access.hpp"

namespace gemmill {
namespace {

std::vector<std::int64_t> slots_of(const Plan& plan) {
    std::vector<std::int64_t> bytes;
    bytes.reserve(plan.tiles.size());
    for (const Tile& t : plan.tiles)
        bytes.push_back(slot_bytes(t.rows, t.cols, operand_of(plan, t).type, plan.grain));
    return bytes;
}

}  // namespace

TileCaches::TileCaches(Builder& builder, const Plan& plan, std::span<const Zones> zones, bool keeps)
    : builder_(builder),
      slots_(slots_of(plan)),
      keeps_(keeps),
      directory_(plan.tiles.size(), plan.machine.memories.size()) {
    places_.reserve(3 * zones.size());
    for (const Zones& z : zones) {
        places_.push_back({Heap(0, z.sums), {}});
        places_.push_back({Heap(z.sums, z.inputs), {}});
        places_.push_back({Heap(z.sums + z.inputs, z.olds), {}});
        olds_.push_back(z.old);
        holds_all_.push_back(z.reuse == Reuse::all);
    }
}

CopyId TileCaches::take(TileId tile, MemoryId memory, Zone zone) {
    const std::int64_t bytes = zone == Zone::olds ? olds_[static_cast<std::size_t>(memory)]
                                                  : slots_[static_cast<std::size_t>(tile)];
    Place& place = places_[place_index(memory, zone)];
    if (bytes > place.heap.size()) return -1;
    auto offset = place.heap.take(bytes);
    while (!offset && place.unread.first >= 0) {
        drop(place.unread.first);
        offset = place.heap.take(bytes);
    }
    if (!offset) return -1;
    CopyId id = static_cast<CopyId>(copies_.size());
    if (unused_.empty()) {
        copies_.emplace_back();
    } else {
        id = unused_.back();
        unused_.pop_back();
    }
    Copy& copy = at(id) = Copy{};
    copy.tile = tile, copy.memory = memory, copy.zone = zone;
    copy.offset = *offset, copy.bytes = bytes;
    copy.readers = 1;
    copy.buffer = builder_.place(memory, *offset, bytes, tile);
    return id;
}

bool TileCaches::has_room(TileId tile, MemoryId memory) const {
    const std::int64_t slot = slots_[static_cast<std::size_t>(tile)];
    const Heap& inputs = heap(memory, Zone::inputs);
    const bool all = holds_all_[static_cast<std::size_t>(memory)];
    return all ? inputs.largest() >= slot : inputs.free() >= 2 * slot;
}

void TileCaches::list(CopyId id) {
    at(id).listed = true;
    directory_.add(at(id).tile, at(id).memory, id);
}

void TileCaches::forget(TileId tile) {
    for (std::uint64_t all = directory_.holders(tile); all != 0; all &= all - 1) {
        const CopyId id = directory_.find(tile, static_cast<MemoryId>(std::countr_zero(all)));
        if (at(id).readers == 0) {
            drop(id);
        } else {
            directory_.remove(tile, at(id).memory);
            at(id).listed = false;
        }
    }
}

/// The last reader has gone.
void TileCaches::leave(CopyId id, bool needed) {
    push(id);
    if (!at(id).listed || !needed || !keeps_) drop(id);
}

void TileCaches::push(CopyId id) {
    List& list = place_of(at(id)).unread;
    at(id).before = list.last;
    at(id).after = -1;
    (list.last >= 0 ? at(list.last).after : list.first) = id;
    list.last = id;
}

void TileCaches::unlink(CopyId id) {
    List& list = place_of(at(id)).unread;
    const Copy& copy = at(id);
    (copy.before >= 0 ? at(copy.before).after : list.first) = copy.after;
    (copy.after >= 0 ? at(copy.after).before : list.last) = copy.before;
}

/// Of one without readers.
void TileCaches::drop(CopyId id) {
    unlink(id);
    Copy& copy = at(id);
    if (copy.listed) directory_.remove(copy.tile, copy.memory);
    place_of(copy).heap.give(copy.offset, copy.bytes);
    unused_.push_back(id);
}

}  // namespace gemmill
