// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "batch/choice/choice.hpp"
#include "bench/batch/batch.hpp"

namespace gemmill::command {

/// What is tuned: shapes of a type, each with the candidates that are tried for it.
struct TuneShape {
    BatchShape shape;
    std::vector<PipeCandidate> candidates;
};
/// Squares of these sizes, and above 16 thin ones with k = 8; at most so many candidates for each.
std::vector<TuneShape> tune_shapes(Type type, const std::vector<index_t>& sizes, std::size_t most);
/// All candidates of the shapes, each once, in a fixed order.
std::vector<PipeCandidate> candidates_of(const std::vector<TuneShape>& shapes);

}  // namespace gemmill::command
