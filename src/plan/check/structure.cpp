// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "machine/grain.hpp"
#include "plan/access.hpp"
#include "plan/check/faults.hpp"
#include "plan/padding.hpp"

namespace gemmill {
namespace {

bool within(std::int64_t i, std::size_t size) {
    return i >= 0 && i < static_cast<std::int64_t>(size);
}

/// Looks at everything that indexes something else.
class Structures {
  public:
    Structures(const Plan& plan, Faults& faults) : plan_(plan), faults_(faults) {}

    void check() {
        check_head();
        check_memories();
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.tiles.size(); ++i) check_tile(i);
        for (std::size_t i = 0; i < plan_.queues.size(); ++i) check_queue(i);
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.buffers.size(); ++i) check_buffer(i);
        if (!faults_.empty()) return;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) check_indexes(i);
    }

  private:
    template <class... Args>
    void fault(fmt::format_string<Args...> text, Args&&... args) {
        faults_.add(fmt::format(text, std::forward<Args>(args)...));
    }

    /// The policy is shown to people as it is.
    void check_head() {
        const auto control = [](unsigned char c) { return c < ' ' || c == 0x7F; };
        if (plan_.policy.size() > 256 || std::ranges::any_of(plan_.policy, control))
            fault("policy {} is no name", shown(plan_.policy));
        if (plan_.grain < 1 || plan_.grain > coarsest_grain)
            fault("grain is {}, expected 1 to {}", plan_.grain, coarsest_grain);
    }

    void check_memories() {
        const std::size_t memories = plan_.machine.memories.size();
        for (const DeviceId device : plan_.devices)
            if (!within(device, plan_.machine.devices.size())) fault("device {} is none", device);
        if (plan_.slab.size() != memories || plan_.limit.size() != memories)
            return fault("slab and limit need one entry a memory");
        for (std::size_t i = 0; i < memories; ++i) {
            const Memory& memory = plan_.machine.memories[i];
            if (plan_.slab[i] < 0 || plan_.slab[i] > plan_.limit[i])
                fault("memory {}: uses {} bytes of {} allowed", memory.name, plan_.slab[i],
                      plan_.limit[i]);
            if (plan_.limit[i] > memory.capacity)
                fault("memory {}: allows {} bytes of {}", memory.name, plan_.limit[i],
                      memory.capacity);
        }
    }

    // --- tiles, queues, buffers -----------------------------------------------------------------

    void check_tile(std::size_t i) {
        const Tile& t = plan_.tiles[i];
        if (!within(t.operand, plan_.operands.size())) return fault("tile {}: no such operand", i);
        const Operand& whole = operand_of(plan_, t);
        if (t.row < 0 || t.col < 0 || t.rows <= 0 || t.cols <= 0 || t.row > whole.rows - t.rows ||
            t.col > whole.cols - t.cols)
            fault("tile {} does not lie in its operand", i);
    }

    void check_queue(std::size_t i) {
        const Queue& q = plan_.queues[i];
        if (q.kind == QueueKind::transfer) {
            if (!within(q.index, plan_.machine.links.size())) fault("queue {}: no such link", i);
        } else if (std::ranges::find(plan_.devices, q.index) == plan_.devices.end()) {
            fault("queue {}: device {} is not one of the plan's", i, q.index);
        }
    }

    void check_buffer(std::size_t i) {
        const Buffer& b = plan_.buffers[i];
        if (!within(b.memory, plan_.machine.memories.size()) || !within(b.tile, plan_.tiles.size()))
            return fault("buffer {}: no such memory or tile", i);
        const Tile& tile = plan_.tiles[static_cast<std::size_t>(b.tile)];
        const std::int64_t slab = plan_.slab[static_cast<std::size_t>(b.memory)];
        const std::int64_t size = bytes_of(operand_of(plan_, tile).type), elements = b.bytes / size;
        const index_t rows = rounded(tile.rows, plan_.grain),
                      cols = rounded(tile.cols, plan_.grain);
        if (b.offset < 0 || b.bytes <= 0 || b.offset > slab - b.bytes)
            fault("buffer {} does not lie in its slab", i);
        else if (b.offset % size != 0)
            fault("buffer {} does not start at an element", i);
        else if (b.ld < rows || b.ld > b.bytes || rows > elements ||
                 cols - 1 > (elements - rows) / b.ld)
            fault("buffer {} is too small for its tile", i);
    }

    // --- what steps name ------------------------------------------------------------------------

    void check_indexes(std::size_t i) {
        const Step& s = plan_.steps[i];
        if (static_cast<int>(s.op) >= opcode_count) return fault("step {}: no such opcode", i);
        if (!within(s.queue, plan_.queues.size())) fault("step {}: no such queue", i);
        if (s.wait_count < 0 || s.wait_begin < 0 ||
            static_cast<std::size_t>(s.wait_begin) + static_cast<std::size_t>(s.wait_count) >
                plan_.waits.size())
            return fault("step {}: its waits are not in the list", i);
        for (const StepId wait : waits_of(plan_, s))
            if (!within(wait, i)) fault("step {} waits for {}, which is not before it", i, wait);
        check_ref(i, s.out, false);
        check_ref(i, s.in[0], info_of(s.op).least < 1);
        check_ref(i, s.in[1], info_of(s.op).least < 2);
        if (inputs_of(s) > info_of(s.op).most) fault("step {}: too many inputs", i);
    }

    void check_ref(std::size_t step, const Ref& ref, bool optional) {
        if (optional && ref == Ref{}) return;
        if (!within(ref.tile, plan_.tiles.size()) ||
            (ref.buffer != Ref::home && !within(ref.buffer, plan_.buffers.size())))
            return fault("step {}: no such tile or buffer", step);
        if (ref.buffer == Ref::home) return;
        const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(ref.buffer)];
        if (!contains(plan_.tiles[static_cast<std::size_t>(buffer.tile)], tile(ref)))
            fault("step {}: buffer {} is of another tile", step, ref.buffer);
        const auto id = static_cast<StepId>(step);
        if (id < buffer.first || id > buffer.last)
            fault("step {}: uses buffer {} outside its life", step, ref.buffer);
    }

    const Tile& tile(const Ref& ref) const { return tile_of(plan_, ref); }

    const Plan& plan_;
    Faults& faults_;
};

}  // namespace

void check_structure(const Plan& plan, Faults& faults) { Structures(plan, faults).check(); }

}  // namespace gemmill
