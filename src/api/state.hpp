// SPDX-License-Identifier: Apache-2.0
// What is behind a Context.
#pragma once

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "api/learn/contribution.hpp"
#include "api/learn/cpu_ratios.hpp"
#include "api/learn/trust.hpp"
#include "api/open/devices.hpp"
#include "api/plans/kept.hpp"
#include "api/plans/plan_cache.hpp"
#include "backend/arena.hpp"
#include "exec/backend.hpp"
#include "gemmill/batch.hpp"
#include "gemmill/context.hpp"
#include "kernel/cpu/team.hpp"

namespace gemmill {

struct Context::State {
    explicit State(const Options& options);
    State(Options options, OpenDevices devices);

    /// Whether calls go straight to the host BLAS.
    bool direct() const noexcept { return backend == nullptr; }
    /// Whether this process made it; its threads and devices are in no other.
    bool is_ours() const noexcept;
    MemoryId locate(const void* pointer) const noexcept;
    /// Whether so many bytes lie all in one block that the context allocated, or touch none.
    bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept;
    const Machine& machine();
    /// Threads for batches on the CPU.
    Team& team();
    /// Whether `auto` leaves a call to the CPU: its data lie there, and it is predicted to end
    /// sooner than on a GPU, or all GPUs were lost.
    bool prefers_host(const Problem& problem);
    /// From the cache when it is there. Seconds is what it took.
    std::shared_ptr<const Plan> plan(const Problem& problem, double* seconds);
    /// The same for a call: under policy auto it is looked for once more when it has served many.
    std::shared_ptr<const Plan> plan_of_call(const Problem& problem, double* seconds);
    /// Whether calls of the plan are counted and timed for that.
    bool may_search_again(const Plan& plan) const;
    /// One that the scheduler made, for policy auto to decide again by.
    std::shared_ptr<const Plan> scheduled_plan(const Problem& problem, double* seconds);
    /// Whether policy auto has a choice: more than one device, and long enough to be worth it.
    bool chooses(const Plan& plan) const;
    /// A plan for less memory than one that found too little; takes its place in the cache.
    std::shared_ptr<const Plan> plan_smaller(const Problem& problem, const Plan& large,
                                             double* seconds);

    Options options;
    std::unique_ptr<Backend> backend;  // none: the host BLAS
    GpuBackend* gpus = nullptr;        // of the backend, which make batches; none: it has no GPU
    PlanCache plans;
    PlanCache scheduled;  // of policy auto
    Trust trust;
    Kept kept;                          // after the backend that its copies lie in
    std::atomic<bool> adopted = false;  // plans of the caller's run as they are
    std::atomic<int> running = 0;       // calls for which policy auto has a choice
    std::once_flag probed;
    Machine host;        // of a direct context, once probed
    Blocks host_blocks;  // that a direct context handed out
    std::once_flag made_team;
    std::unique_ptr<Team> threads;
    std::optional<Device> cpu;  // that `auto` may choose beside GPUs
    std::mutex watch_mutex;
    std::function<void(const Report&)> observer;
    std::function<void(std::string_view)> sink;
    std::atomic<int> calls = 0;
    Contribution contribution;
    CpuRatios ratios;                   // of the CPU beside GPUs, under policy dynamic
    const int process;                  // that made it
    std::shared_ptr<std::latch> ended;  // counted down when nothing is left of it

  private:
    std::shared_ptr<const Plan> searched(const Problem& problem, std::shared_ptr<const Plan> found,
                                         double search, double* seconds);
    std::shared_ptr<const Plan> make(const Problem& problem, std::int64_t cap, double* seconds,
                                     std::int64_t counted = 0);
    std::shared_ptr<const Plan> make_by(Options how, const Problem& problem, double* seconds);
    /// nullptr where there is none, or where it needs a device that was lost since.
    std::shared_ptr<const Plan> cached(PlanCache& cache, const Problem& problem) const;
};

/// Throws Error(invalid_plan) with the faults of a plan that has some.
void require_valid(const Plan& plan);

/// Plans, runs and reports one call.
void run_problem(Context::State& state, const Problem& problem, const Binding& binding);

/// Runs one batch that is column-major by now; the layout says how its arguments were called.
void run_batch(Context::State& state, Layout layout, const Batch& batch,
               const BatchOptions& options);

}  // namespace gemmill
