// SPDX-License-Identifier: Apache-2.0
#include "plan/build/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "plan/padding.hpp"

namespace gemmill {
namespace {

std::uint64_t hash_of(const Tile& t) {
    auto hash = static_cast<std::uint64_t>(t.operand);
    for (const index_t i : {t.row, t.col, t.rows, t.cols})
        hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

/// Where a tile's number stands, or where it would.
std::size_t place_of(const Tile& tile, const std::vector<Tile>& tiles,
                     const std::vector<TileId>& ids) {
    const std::size_t mask = ids.size() - 1;
    for (std::size_t place = hash_of(tile) & mask;; place = (place + 1) & mask)
        if (ids[place] < 0 || tiles[static_cast<std::size_t>(ids[place])] == tile) return place;
}

}  // namespace

std::int64_t slot_bytes(index_t rows, index_t cols, Type type, index_t grain) {
    const std::int64_t bytes = rounded(rows, grain) * rounded(cols, grain) * bytes_of(type);
    return (bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
}

Builder::Builder(Plan& plan, double most_steps)
    : plan_(plan),
      most_steps_(most_steps),
      compute_ids_(plan.machine.devices.size()),
      transfer_ids_(plan.machine.links.size(), -1),
      links_(plan.machine.memories.size() * plan.machine.memories.size(), -1) {
    const std::size_t memories = plan.machine.memories.size();
    plan_.slab.assign(memories, 0);
    for (std::size_t l = plan.machine.links.size(); l-- > 0;) {  // the first one counts
        const Link& one = plan.machine.links[l];
        links_[static_cast<std::size_t>(one.from) * memories + static_cast<std::size_t>(one.to)] =
            static_cast<LinkId>(l);
    }
}

LinkId Builder::link(MemoryId from, MemoryId to) const {
    return links_[static_cast<std::size_t>(from) * plan_.machine.memories.size() +
                  static_cast<std::size_t>(to)];
}

TileId Builder::tile(const Tile& tile) {
    if (2 * plan_.tiles.size() >= tile_ids_.size()) rehash(4 * plan_.tiles.size() + 64);
    TileId& id = tile_ids_[place_of(tile, plan_.tiles, tile_ids_)];
    if (id < 0) {
        id = static_cast<TileId>(plan_.tiles.size());
        plan_.tiles.push_back(tile);
    }
    return id;
}

void Builder::rehash(std::size_t places) {
    tile_ids_.assign(std::bit_ceil(places), -1);
    for (std::size_t t = 0; t < plan_.tiles.size(); ++t)
        tile_ids_[place_of(plan_.tiles[t], plan_.tiles, tile_ids_)] = static_cast<TileId>(t);
}

QueueId Builder::compute_queue(DeviceId device, int number) {
    std::vector<QueueId>& ids = compute_ids_[static_cast<std::size_t>(device)];
    const auto i = static_cast<std::size_t>(number);
    if (i >= ids.size()) ids.resize(i + 1, -1);
    if (ids[i] < 0) {
        ids[i] = static_cast<QueueId>(plan_.queues.size());
        plan_.queues.push_back({QueueKind::compute, device});
    }
    return ids[i];
}

QueueId Builder::urgent_queue(DeviceId device) {
    const auto [found, added] = urgent_ids_.try_emplace(device, -1);
    if (added) {
        found->second = static_cast<QueueId>(plan_.queues.size());
        plan_.queues.push_back({QueueKind::compute, device, true});
    }
    return found->second;
}

QueueId Builder::transfer_queue(LinkId link) {
    QueueId& id = transfer_ids_[static_cast<std::size_t>(link)];
    if (id < 0) {
        id = static_cast<QueueId>(plan_.queues.size());
        plan_.queues.push_back({QueueKind::transfer, link});
    }
    return id;
}

Builder::Pool Builder::make_pool(MemoryId memory, std::int64_t slot_bytes, index_t slots) {
    std::int64_t& slab = plan_.slab[static_cast<std::size_t>(memory)];
    const std::int64_t limit = plan_.limit[static_cast<std::size_t>(memory)];
    if (slots > (limit - slab) / slot_bytes)
        throw Error(Code::out_of_memory,
                    fmt::format("memory {} has no room for {} tiles of {}",
                                plan_.machine.memories[static_cast<std::size_t>(memory)].name,
                                slots, human_bytes(static_cast<double>(slot_bytes))),
                    "slab <= limit");
    Pool pool{memory, slot_bytes, std::vector<BufferId>(static_cast<std::size_t>(slots), -1), 0,
              slab};
    slab += slots * slot_bytes;
    return pool;
}

Builder::Seat Builder::make_seat(MemoryId memory, std::int64_t bytes) {
    return {memory, make_pool(memory, bytes, 1).offset, bytes};
}

BufferId Builder::add_buffer(MemoryId memory, std::int64_t offset, std::int64_t bytes,
                             TileId tile) {
    const index_t ld = rounded(plan_.tiles[static_cast<std::size_t>(tile)].rows, plan_.grain);
    plan_.buffers.push_back({memory, tile, offset, bytes, ld, -1, -1});
    stays_.emplace_back();
    return static_cast<BufferId>(plan_.buffers.size()) - 1;
}

BufferId Builder::sit(Seat& seat, TileId tile) {
    const BufferId id = add_buffer(seat.memory, seat.offset, seat.bytes, tile);
    stays_.back().after = std::exchange(seat.taken, id);
    return id;
}

BufferId Builder::keep(MemoryId memory, TileId tile) {
    const Tile& t = plan_.tiles[static_cast<std::size_t>(tile)];
    Seat seat =
        make_seat(memory, slot_bytes(t.rows, t.cols, operand_of(plan_, t).type, plan_.grain));
    return sit(seat, tile);
}

bool Builder::held(BufferId buffer) const {
    return buffer >= 0 && stays_[static_cast<std::size_t>(buffer)].held;
}

/// The new one waits for all whose place it takes.
void Builder::settle(BufferId id) {
    while (places_.size() < plan_.machine.memories.size()) places_.emplace_back(&memory_);
    const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    Uses before = -1;
    auto& memory = places_[static_cast<std::size_t>(buffer.memory)];
    const std::int64_t begin = buffer.offset, end = buffer.offset + buffer.bytes;
    auto it = memory.upper_bound(begin);
    if (it != memory.begin() && std::prev(it)->second.end > begin) --it;
    while (it != memory.end() && it->first < end) {
        const auto [old_begin, old] = *it;
        const Stay& was = stays_[static_cast<std::size_t>(old.buffer)];
        add_copies(before, was.reads);
        add_copies(before, was.writes);
        if (was.writes < 0) add_copies(before, was.before);  // what it would have waited for
        it = memory.erase(it);
        if (old_begin < begin) memory[old_begin] = {begin, old.buffer};
        if (old.end > end) it = std::next(memory.emplace(end, Occupant{old.end, old.buffer}).first);
    }
    memory.insert_or_assign(it, begin, Occupant{end, id});
    stays_[static_cast<std::size_t>(id)].before = before;
}

BufferId Builder::place(MemoryId memory, std::int64_t offset, std::int64_t bytes, TileId tile) {
    std::int64_t& slab = plan_.slab[static_cast<std::size_t>(memory)];
    const std::int64_t limit = plan_.limit[static_cast<std::size_t>(memory)];
    if (offset < 0 || offset + bytes > limit)
        throw Error(Code::out_of_memory,
                    fmt::format("memory {} ends before {}",
                                plan_.machine.memories[static_cast<std::size_t>(memory)].name,
                                human_bytes(static_cast<double>(offset + bytes))),
                    "slab <= limit");
    slab = std::max(slab, offset + bytes);
    const BufferId id = add_buffer(memory, offset, bytes, tile);
    settle(id);
    return id;
}

/// The next one in turn that is not held.
std::size_t Builder::pick_slot(const Pool& pool) const {
    const std::size_t count = pool.slots.size();
    for (std::size_t tried = 0; tried < count; ++tried) {
        const std::size_t slot = (pool.next + tried) % count;
        if (!held(pool.slots[slot])) return slot;
    }
    throw Error(Code::internal, "planner: a pool is full", "a slot that is not held");
}

/// The one whose buffer was used longest ago. Uses are looked up only when a slot comes to the top.
std::size_t Builder::pick_lru(Pool& pool) const {
    if (pool.by_use.empty())
        for (std::size_t slot = 0; slot < pool.slots.size(); ++slot)
            pool.by_use.push({-1, static_cast<std::uint32_t>(slot)});
    std::vector<std::pair<StepId, std::uint32_t>> passed;
    std::optional<std::size_t> found;
    while (!found && !pool.by_use.empty()) {
        const auto [use, slot] = pool.by_use.top();
        pool.by_use.pop();
        const BufferId buffer = pool.slots[slot];
        const StepId last =
            buffer < 0 ? StepId{-1} : plan_.buffers[static_cast<std::size_t>(buffer)].last;
        if (held(buffer))
            passed.emplace_back(use, slot);
        else if (last > use)
            pool.by_use.push({last, slot});
        else
            found = slot;
    }
    for (const auto& one : passed) pool.by_use.push(one);
    require(found.has_value(), Code::internal, "a slot that is not held",
            "planner: a pool is full");
    pool.by_use.push({static_cast<StepId>(plan_.steps.size()), static_cast<std::uint32_t>(*found)});
    return *found;
}

/// All that the next one in its place has to wait for.
Builder::Uses Builder::leave(Stay& stay) {
    if (stay.reads < 0) return stay.writes;
    Uses last = stay.reads;
    while (use_at(last).next >= 0) last = use_at(last).next;
    use_at(last).next = stay.writes;
    return std::exchange(stay.reads, -1);
}

BufferId Builder::take(Pool& pool, TileId tile) {
    const std::size_t slot = pool.lru ? pick_lru(pool) : pick_slot(pool);
    const BufferId id =
        add_buffer(pool.memory, pool.offset + static_cast<std::int64_t>(slot) * pool.slot_bytes,
                   pool.slot_bytes, tile);
    if (const BufferId old = std::exchange(pool.slots[slot], id); old >= 0) {
        Stay& was = stays_[static_cast<std::size_t>(old)];
        was.alive = false;
        stays_.back().before = leave(was);
    }
    pool.next = slot + 1 < pool.slots.size() ? slot + 1 : 0;
    return id;
}

void Builder::add(Uses& uses, Use use) {
    use.next = std::exchange(uses, static_cast<Uses>(uses_.size()));
    uses_.push_back(use);
}

void Builder::add_copies(Uses& uses, Uses of) {
    for (; of >= 0; of = use_at(of).next) add(uses, use_at(of));
}

/// Returns whether some that are left overlap it.
bool Builder::drop_covered(Uses& uses, Tile& around, const Tile& part) {
    if (uses < 0 || !overlap(around, part)) return false;
    bool overlaps = false;
    for (Uses* link = &uses; *link >= 0;) {
        Use& use = use_at(*link);
        if (contains(part, use.part)) {
            *link = use.next;
        } else {
            overlaps = overlaps || overlap(part, use.part);
            link = &use.next;
        }
    }
    if (uses < 0) around = {};
    return overlaps;
}

/// A later use of the same queue stands for the earlier ones of what it covers, where one of the
/// latest is.
void Builder::note(Uses& uses, const Use& use) {
    int looks = 16;
    for (Uses i = uses; i >= 0 && looks-- > 0; i = use_at(i).next) {
        Use& old = use_at(i);
        if (old.queue != use.queue || !contains(use.part, old.part)) continue;
        old.step = use.step;
        old.part = use.part;
        return;
    }
    add(uses, use);
}

/// The latest ones first: those before them in their queue need no look.
void Builder::wait_for(Uses uses, const Tile& part) {
    for (; uses >= 0; uses = use_at(uses).next) {
        const Use& use = use_at(uses);
        if (use.step > latest_[static_cast<std::size_t>(use.queue)] && overlap(use.part, part))
            wait_for(use.queue, use.step);
    }
}

/// The last write of each element counts: where they lie apart, none is left when all of the part
/// has been found.
void Builder::wait_for_writes(const Stay& stay, const Tile& part) {
    if (stay.writes < 0 || !overlap(stay.written, part)) return;
    index_t left = part.rows * part.cols;
    for (Uses i = stay.writes; i >= 0 && left > 0; i = use_at(i).next) {
        const Use& use = use_at(i);
        const index_t common = overlap_size(use.part, part);
        if (common == 0) continue;
        if (use.step > latest_[static_cast<std::size_t>(use.queue)]) wait_for(use.queue, use.step);
        if (stay.apart) left -= common;
    }
}

/// One wait a queue is enough, and none for the step's own queue.
void Builder::finish_waits(Step& step) {
    for (const StepId extra : extra_)
        wait_for(plan_.steps[static_cast<std::size_t>(extra)].queue, extra);
    extra_.clear();
    step.wait_begin = static_cast<std::int32_t>(plan_.waits.size());
    for (const QueueId queue : wanted_) {
        StepId& latest = latest_[static_cast<std::size_t>(queue)];
        if (queue != step.queue) plan_.waits.push_back(latest);
        latest = -1;
    }
    wanted_.clear();
    std::sort(plan_.waits.begin() + step.wait_begin, plan_.waits.end());
    step.wait_count = static_cast<std::int32_t>(plan_.waits.size()) - step.wait_begin;
}

/// Of a buffer, or of a tile of the target at home where that is followed.
Builder::Stay* Builder::stay_of(const Ref& ref) {
    if (ref.tile < 0) return nullptr;
    if (ref.buffer != Ref::home) return &stays_[static_cast<std::size_t>(ref.buffer)];
    if (!follows_target_ || !is_target(plan_, tile_of(plan_, ref))) return nullptr;
    if (homes_.size() < plan_.tiles.size()) homes_.resize(plan_.tiles.size());
    return &homes_[static_cast<std::size_t>(ref.tile)];
}

/// The stay that a step uses; that of a buffer begins or goes on with it.
Builder::Stay* Builder::touch(const Ref& ref, StepId step) {
    Stay* stay = stay_of(ref);
    if (stay == nullptr || ref.buffer == Ref::home) return stay;
    Buffer& buffer = plan_.buffers[static_cast<std::size_t>(ref.buffer)];
    if (buffer.first < 0) buffer.first = step;
    buffer.last = step;
    return stay;
}

StepId Builder::emit(Step step) {
    const auto id = static_cast<StepId>(plan_.steps.size());
    if (static_cast<double>(id) >= most_steps_)
        throw Error(Code::out_of_memory, "the plan has too many steps", "fewer steps");
    latest_.resize(plan_.queues.size(), -1);
    const std::array<Stay*, 2> in{touch(step.in[0], id), touch(step.in[1], id)};
    Stay* const out = touch(step.out, id);
    for (std::size_t i = 0; i < 2; ++i)
        if (in[i] != nullptr) wait_for_writes(*in[i], touched(plan_, step, step.in[i]));
    if (out != nullptr) {
        if (out->after >= 0)
            out->before = leave(stays_[static_cast<std::size_t>(std::exchange(out->after, -1))]);
        const Tile part = touched(plan_, step, step.out);
        wait_for_writes(*out, part);
        if (overlap(out->read, part)) wait_for(out->reads, part);
        for (Uses i = out->before; i >= 0; i = use_at(i).next)
            wait_for(use_at(i).queue, use_at(i).step);
    }
    finish_waits(step);
    for (std::size_t i = 0; i < 2; ++i)
        if (in[i] != nullptr) {
            const Tile part = touched(plan_, step, step.in[i]);
            note(in[i]->reads, {step.queue, id, part});
            in[i]->read = around_both(in[i]->read, part);
        }
    if (out != nullptr) note_write(*out, step, {step.queue, id, touched(plan_, step, step.out)});
    plan_.steps.push_back(step);
    return id;
}

/// A write has waited for everything before in its part: it stands for it.
void Builder::note_write(Stay& stay, const Step& step, const Use& use) {
    drop_covered(stay.reads, stay.read, use.part);
    if (drop_covered(stay.writes, stay.written, use.part)) stay.apart = false;
    add(stay.writes, use);
    stay.written = around_both(stay.written, use.part);
    if (step.out.buffer == Ref::home) return;
    const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(step.out.buffer)];
    if (use.part == plan_.tiles[static_cast<std::size_t>(buffer.tile)]) stay.before = -1;
}

StepId Builder::move(Opcode kind, const Ref& from, const Ref& to, int piece, int pieces) {
    Step step = move_step(plan_, kind, from, to, piece, pieces);
    step.queue = transfer_queue(link(memory_of(plan_, from), memory_of(plan_, to)));
    return emit(step);
}

}  // namespace gemmill
