// SPDX-License-Identifier: Apache-2.0
// Every pair of accesses to the same bytes, one of them a write, must be ordered by queues and
// waits: within a buffer, within a C tile of the user, and between buffers that share a place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "plan/access.hpp"
#include "plan/faults.hpp"

namespace gemmill {
namespace {

struct Access {
    StepId step;
    QueueId queue;
    Columns columns;
};

bool overlap(const Columns& a, const Columns& b) {
    return a.first < b.first + b.count && b.first < a.first + a.count;
}

/// The accesses to one place that a later one can still conflict with.
struct Place {
    std::vector<Access> writes, reads;
};

class Races {
  public:
    Races(const Plan& plan, const HappensBefore& before, Faults& faults)
        : plan_(plan),
          before_(before),
          faults_(faults),
          buffers_(plan.buffers.size()),
          homes_(plan.tiles.size()),
          uses_(plan.buffers.size()) {}

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(static_cast<StepId>(i));
        check_places();
    }

  private:
    Place* place_of(const Ref& ref) {
        if (ref.buffer != Ref::home) return &buffers_[static_cast<std::size_t>(ref.buffer)];
        return &homes_[static_cast<std::size_t>(ref.tile)];
    }

    void check_step(StepId id) {
        const Step& s = plan_.steps[static_cast<std::size_t>(id)];
        const index_t cols = plan_.tiles[static_cast<std::size_t>(s.out.tile)].cols;
        const Columns part = piece_columns(cols, s.piece, s.pieces);
        for (const Ref& in : s.in) {
            if (in.tile < 0) continue;
            const index_t all = plan_.tiles[static_cast<std::size_t>(in.tile)].cols;
            read(in, {id, s.queue, s.kind == StepKind::fetch ? part : Columns{0, all}});
        }
        write(s.out, {id, s.queue, part}, part.count == cols);
    }

    void note_use(const Ref& ref, const Access& access) {
        if (ref.buffer == Ref::home) return;
        uses_[static_cast<std::size_t>(ref.buffer)].push_back(access.step);
    }

    void read(const Ref& ref, const Access& access) {
        note_use(ref, access);
        Place& place = *place_of(ref);
        ordered(place.writes, access, ref);
        // Reads of one queue are ordered, so the last one stands for all of the same columns.
        const auto same = std::ranges::find_if(place.reads, [&](const Access& r) {
            return r.queue == access.queue && r.columns.first == access.columns.first &&
                   r.columns.count == access.columns.count;
        });
        if (same != place.reads.end())
            same->step = access.step;
        else
            place.reads.push_back(access);
    }

    void write(const Ref& ref, const Access& access, bool whole) {
        note_use(ref, access);
        Place& place = *place_of(ref);
        ordered(place.writes, access, ref);
        ordered(place.reads, access, ref);
        if (whole) {
            place.writes.clear();
            place.reads.clear();
        }
        place.writes.push_back(access);
    }

    void ordered(const std::vector<Access>& earlier, const Access& later, const Ref& ref) {
        for (const Access& e : earlier)
            if (e.step != later.step && overlap(e.columns, later.columns) &&
                !before_(e.step, later.step))
                faults_.add(
                    fmt::format("steps {} and {} race on tile {}", e.step, later.step, ref.tile));
    }

    /// Walks the buffers by first use and keeps who lies where.
    void check_places() {
        std::vector<BufferId> order(plan_.buffers.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](BufferId b) {
            const auto& uses = uses_[static_cast<std::size_t>(b)];
            return uses.empty() ? StepId{-1} : uses.front();
        });
        std::vector<std::map<std::int64_t, Occupant>> memories(plan_.machine.memories.size());
        for (const BufferId b : order) {
            const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
            if (uses_[static_cast<std::size_t>(b)].empty()) continue;
            settle(memories[static_cast<std::size_t>(buffer.memory)], b, buffer);
        }
    }

    struct Occupant {
        std::int64_t end;
        BufferId buffer;
    };

    void settle(std::map<std::int64_t, Occupant>& memory, BufferId b, const Buffer& buffer) {
        const std::int64_t begin = buffer.offset, end = buffer.offset + buffer.bytes;
        auto it = memory.upper_bound(begin);
        if (it != memory.begin() && std::prev(it)->second.end > begin) --it;
        while (it != memory.end() && it->first < end) {
            const auto [old_begin, old] = *it;
            check_handover(old.buffer, b);
            it = memory.erase(it);
            if (old_begin < begin) memory[old_begin] = {begin, old.buffer};
            if (old.end > end)
                it = std::next(memory.emplace(end, Occupant{old.end, old.buffer}).first);
        }
        memory[begin] = {end, b};
    }

    /// Every use of the old buffer ends before any use of the new one.
    void check_handover(BufferId old_buffer, BufferId new_buffer) {
        for (const StepId old_use : last_uses(old_buffer))
            for (const StepId new_use : uses_[static_cast<std::size_t>(new_buffer)])
                if (!before_(old_use, new_use)) {
                    faults_.add(
                        fmt::format("buffer {} takes the place of buffer {}, but step {} may run "
                                    "before {} ends",
                                    new_buffer, old_buffer, new_use, old_use));
                    return;
                }
    }

    /// The last use in each queue.
    std::vector<StepId> last_uses(BufferId buffer) const {
        std::map<QueueId, StepId> last;
        for (const StepId use : uses_[static_cast<std::size_t>(buffer)])
            last[plan_.steps[static_cast<std::size_t>(use)].queue] = use;
        std::vector<StepId> steps;
        for (const auto& [queue, step] : last) steps.push_back(step);
        return steps;
    }

    const Plan& plan_;
    const HappensBefore& before_;
    Faults& faults_;
    std::vector<Place> buffers_;
    std::vector<Place> homes_;
    std::vector<std::vector<StepId>> uses_;
};

}  // namespace

void check_races(const Plan& plan, const HappensBefore& before, Faults& faults) {
    Races(plan, before, faults).check();
}

}  // namespace gemmill
