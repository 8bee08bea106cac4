// SPDX-License-Identifier: Apache-2.0
// Triangular systems of a few rows with many right-hand sides.
#pragma once

#include "backend/cuda/cuda.hpp"

namespace gemmill {

/// Unknowns that one kernel solves for: d or z.
constexpr int most_unknowns(Type type) { return type == Type::z ? 64 : 128; }

/// trsm of type d or z with at most so many unknowns, alpha not zero: by substitution, a warp for
/// some right-hand sides.
cudaError_t small_trsm(cudaStream_t stream, const KernelArgs& args);

}  // namespace gemmill
