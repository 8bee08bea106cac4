// SPDX-License-Identifier: Apache-2.0
// Costs of the kernels for batches, from times of random shapes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "batch/choice/estimate.hpp"
#include "bench/batch/batch.hpp"

namespace gemmill::command {

/// What a kernel has to do for a batch; false: it cannot make it.
using WorkOf = std::function<bool(const Batch& batch, const std::string& kernel, BatchWork& work)>;

/// Costs of each kernel, and of the calls of cuBLAS, that ran often enough. Calls of cuBLAS whose
/// time cannot be foretold from their shape are left out: they are not chosen then.
std::vector<BatchCosts> costs_of(const std::vector<BatchResult>& measured, const WorkOf& work,
                                 const BatchGpu& gpu);

/// How often what the library would choose is within 5 % of the best that was measured, and where
/// it is not; and its time beside that of cuBLAS, by kinds of batches.
std::string report_of(const std::vector<BatchResult>& measured,
                      const std::vector<BatchCosts>& costs, const WorkOf& work,
                      const BatchGpu& gpu);

/// The same of shapes that costs were not fitted to: costs of every other shape choose for the
/// rest.
std::string report_in_halves(const std::vector<BatchResult>& measured, const WorkOf& work,
                             const BatchGpu& gpu);

/// src/kernel/cuda/tuned/sm90.costs: these, and rows of types that were not measured.
std::string costs_text(const std::vector<BatchCosts>& costs, const std::vector<BatchCosts>& old,
                       const std::string& origin);

}  // namespace gemmill::command
