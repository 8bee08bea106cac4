// SPDX-License-Identifier: Apache-2.0
// Runs one call for real on random data: where the operands lie, how long it took, is it right.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "check/verify.hpp"
#include "gemmill/context.hpp"

namespace gemmill::command {

struct Product {
    Problem problem;  ///< column-major, also when the call is row-major
    Layout layout = Layout::ColMajor;
    Scalar alpha, beta;
    int repeat = 1;
    bool pinned = false;  ///< host memory comes from the context, for GPUs
    bool check = false;
};

struct Outcome {
    std::vector<double> seconds;  ///< of each call, planning not included
    double plan_seconds = 0;
    std::shared_ptr<const Plan> plan;  ///< that ran; of a direct context: what would have
    Timeline timeline;                 ///< of the last call; empty when it had no steps
    bool direct = false;               ///< it went to the host BLAS
    double model_ratio = 0;            ///< of policy auto, as in Report
    std::optional<Verdict> verdict;

    double best() const;
};

/// Every call starts from the same C; when beta is 0 that C is all NaN, for it must not be read,
/// and so is the other triangle of a matrix that has one. Only gemm can be row-major. Throws
/// Error(out_of_memory) when the matrices do not fit.
Outcome run_product(Context& context, const Product& product);

}  // namespace gemmill::command
