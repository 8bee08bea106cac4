// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a run lie in host memory, and which copies therefore go through slots.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backend/gpu/session/session.hpp"

namespace gemmill {

class Places {
  public:
    /// Pageable matrices that are used again and again become pinned here, where that is allowed.
    Places(GpuBackend::State& state, const Plan& plan, const Binding& binding,
           std::span<const Lane> lanes);

    /// Whether threads pack or unpack what a step moves.
    bool by_slots(const Step& step) const;
    /// Whether a step that moves to or from the host does so in memory that is not pinned.
    bool pageable(const Step& step) const;

  private:
    const Tile* host_tile(const Step& step) const;
    bool has_short_runs(const Tile& tile) const;

    const StagingSetup& staging_;
    const Plan& plan_;
    const std::vector<index_t> ld_;
    const bool alone_;                            // one GPU does it all
    std::vector<std::optional<GpuPlace>> place_;  // of operands in host memory
};

}  // namespace gemmill
