// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a run lie in host memory, and which copies therefore go through slots.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "backend/gpu/session.hpp"

namespace gemmill {

class Places {
  public:
    /// Pageable matrices that are used again and again become pinned here, where that is allowed.
    Places(GpuBackend::State& state, const Plan& plan, const Binding& binding,
           std::span<const Lane> lanes);

    /// Whether threads pack or unpack what a step moves.
    bool by_slots(const Step& step) const;

  private:
    bool has_short_runs(const Tile& tile) const;

    const StagingSetup& staging_;
    const Plan& plan_;
    const std::array<index_t, 3> ld_;
    const bool alone_;                              // one GPU does it all
    std::array<std::optional<GpuPlace>, 3> place_;  // of operands in host memory
};

}  // namespace gemmill
