// SPDX-License-Identifier: Apache-2.0
// Every pair of accesses to the same bytes, one of them a write, must be ordered by queues and
// waits: within a cell of a buffer or of the user's target, and between buffers that share a place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "plan/access.hpp"
#include "plan/check/faults.hpp"
#include "plan/check/happens.hpp"

namespace gemmill {
namespace {

/// The accesses to one cell that a later one can still conflict with.
struct Accesses {
    StepId write = -1;
    std::vector<StepId> reads;  // since that write, the last one of each queue
};

class Races {
  public:
    Races(const Plan& plan, const Cells& cells, Faults& faults)
        : plan_(plan),
          cells_(cells),
          before_(plan),
          faults_(faults),
          accesses_(cells.count()),
          uses_(plan.buffers.size()) {}

    void check() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_step(static_cast<StepId>(i));
        check_places();
    }

  private:
    const Step& step(StepId id) const { return plan_.steps[static_cast<std::size_t>(id)]; }

    void check_step(StepId id) {
        for (const Ref& in : step(id).in)
            if (in.tile >= 0) read(in, id);
        write(step(id).out, id);
    }

    void note_use(const Ref& ref, StepId id) {
        if (ref.buffer == Ref::home) return;
        uses_[static_cast<std::size_t>(ref.buffer)].push_back(id);
    }

    void read(const Ref& ref, StepId id) {
        note_use(ref, id);
        const QueueId queue = step(id).queue;
        const auto of_queue = [&](StepId r) { return step(r).queue == queue; };
        cells_.each(ref.buffer, touched(plan_, step(id), ref), [&](std::size_t cell, const Tile&) {
            Accesses& earlier = accesses_[cell];
            ordered(earlier.write, id, ref);
            // Reads of one queue are ordered, so the last one stands for all.
            const auto same = std::ranges::find_if(earlier.reads, of_queue);
            if (same != earlier.reads.end())
                *same = id;
            else
                earlier.reads.push_back(id);
        });
    }

    /// A write comes after all that was before, and stands for it.
    void write(const Ref& ref, StepId id) {
        note_use(ref, id);
        cells_.each(ref.buffer, touched(plan_, step(id), ref), [&](std::size_t cell, const Tile&) {
            Accesses& earlier = accesses_[cell];
            ordered(earlier.write, id, ref);
            for (const StepId r : earlier.reads) ordered(r, id, ref);
            earlier.write = id;
            earlier.reads.clear();
        });
    }

    void ordered(StepId earlier, StepId later, const Ref& ref) {
        if (earlier >= 0 && earlier != later && !before_(earlier, later))
            faults_.add(fmt::format("steps {} and {} race on tile {}", earlier, later, ref.tile));
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
            last[step(use).queue] = use;
        std::vector<StepId> steps;
        for (const auto& [queue, use] : last) steps.push_back(use);
        return steps;
    }

    const Plan& plan_;
    const Cells& cells_;
    const HappensBefore before_;
    Faults& faults_;
    std::vector<Accesses> accesses_;         // by cell
    std::vector<std::vector<StepId>> uses_;  // by buffer
};

}  // namespace

void check_races(const Plan& plan, const Cells& cells, Faults& faults) {
    Races(plan, cells, faults).check();
}

}  // namespace gemmill
