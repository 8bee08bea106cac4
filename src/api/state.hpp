// SPDX-License-Identifier: Apache-2.0
// What is behind a Context.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "api/plan_cache.hpp"
#include "exec/backend.hpp"
#include "gemmill/context.hpp"

namespace gemmill {

struct Context::State {
    explicit State(Options options);

    /// Whether calls go straight to the host BLAS.
    bool direct() const noexcept { return backend == nullptr; }
    const Machine& machine();
    std::shared_ptr<const Plan> plan(const Problem& problem, double* seconds);

    Options options;
    std::unique_ptr<Backend> backend;  // none: the host BLAS
    PlanCache plans;
    std::once_flag probed;
    Machine host;  // of a direct context, once probed
    std::mutex watch_mutex;
    std::function<void(const Report&)> observer;
    std::function<void(std::string_view)> sink;
    std::atomic<int> calls = 0;
};

/// Plans, runs and reports one call.
void run_problem(Context::State& state, const Problem& problem, const Binding& binding);

}  // namespace gemmill
