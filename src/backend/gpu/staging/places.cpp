// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/places.hpp"

#include <algorithm>

#include "plan/access.hpp"

namespace gemmill {
namespace {

/// From its first element to its last.
std::size_t extent_of(const Operand& operand, index_t ld) {
    const index_t elements = ld * (operand.cols - 1) + operand.rows;
    return static_cast<std::size_t>(elements * bytes_of(operand.type));
}

bool on_one_gpu(std::span<const Lane> lanes) {
    return std::ranges::all_of(lanes,
                               [&](const Lane& lane) { return lane.device == lanes[0].device; });
}

}  // namespace

Places::Places(GpuBackend::State& state, const Plan& plan, const Binding& binding,
               std::span<const Lane> lanes)
    : staging_(state.setup.staging),
      plan_(plan),
      ld_(binding.ld),
      alone_(on_one_gpu(lanes)),
      place_(plan.operands.size()) {
    for (std::size_t o = 0; o < plan.operands.size(); ++o) {
        const void* data = binding.data[o];
        if (state.ordinal(plan.operands[o].home) >= 0 || data == nullptr) continue;
        GpuPlace place{};
        int device = 0;
        require_ok(state.driver(), state.driver().locate(data, &place, &device),
                   "find where a matrix lies");
        if (place == GpuPlace::pageable &&
            state.pins.use(data, extent_of(plan.operands[o], ld_[o])))
            place = GpuPlace::pinned;
        place_[o] = place;
    }
}

/// Of a step that moves to or from the host, the tile there.
const Tile* Places::host_tile(const Step& step) const {
    if (!moves(step)) return nullptr;
    const Ref& host = step.op == Opcode::fetch ? step.in[0] : step.out;
    return host.buffer == Ref::home ? &tile_of(plan_, host) : nullptr;
}

bool Places::pageable(const Step& step) const {
    const Tile* tile = host_tile(step);
    return tile != nullptr && place_[static_cast<std::size_t>(tile->operand)] == GpuPlace::pageable;
}

bool Places::by_slots(const Step& step) const {
    if (pageable(step)) return true;
    const Tile* tile = host_tile(step);
    // The threads that pack are as fast as one link: what several GPUs could copy they leave alone.
    return tile != nullptr && alone_ && has_short_runs(*tile) &&
           place_[static_cast<std::size_t>(tile->operand)] == GpuPlace::pinned;
}

/// Only the CPU reads or writes pieces of columns of host memory at full speed.
bool Places::has_short_runs(const Tile& tile) const {
    const index_t run = tile.rows * bytes_of(operand_of(plan_, tile).type);
    const bool apart = tile.cols > 1 && tile.rows < ld_[static_cast<std::size_t>(tile.operand)];
    // What is solved and read again may not be packed before it is there.
    const bool again = plan_.goal.solves && is_target(plan_, tile);
    // Of one slot nothing travels while it is packed: it would be there later than by columns.
    return apart && !again && run < staging_.short_run &&
           run * tile.cols >= 2 * staging_.slot_bytes;
}

}  // namespace gemmill
