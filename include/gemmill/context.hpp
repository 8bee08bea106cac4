// SPDX-License-Identifier: Apache-2.0
// What a call needs beyond its arguments: the devices, their memory and threads, the cached plans.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "gemmill/machine.hpp"
#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "gemmill/types.hpp"

namespace gemmill {

/// One finished planned call, as given to an observer.
struct Report {
    const Problem& problem;
    const Plan& plan;
    const Timeline& timeline;  ///< measured
    double seconds;            ///< measured, planning not included
    double plan_seconds;       ///< 0 when the plan came from the cache
    /// Of policy auto: measured over predicted seconds of the last calls like this one that ran as
    /// they were planned; 0 where that is not known.
    double model_ratio = 0;
};

/// Several threads may use one Context at the same time. On GPUs two of its planned calls run side
/// by side where memory and the cap allow both; others take turns.
///
/// A Context that was moved from has nothing left: everything but its end throws
/// Error(bad_argument). After fork() the devices are the parent's: in the child, calls of a Context
/// that has some throw Error(no_device), and its end leaves them alone. One without devices serves
/// the child as well.
class GEMMILL_API Context {
  public:
    /// Opens the devices that the options name. Throws Error(no_device) when one is not there, or
    /// the machine file that they name is not; Error(out_of_memory) when there is no thread.
    explicit Context(const Options& options = Options::from_environment());
    /// Waits for the calls that other threads have under way. They must not begin new ones, and no
    /// observer may destroy the Context that it observes.
    ~Context();
    Context(Context&&) noexcept;
    /// The Context that was here ends as by its destructor.
    Context& operator=(Context&&) noexcept;

    const Options& options() const;
    /// The machine that plans are made for. With no devices asked for it is the bare host.
    const Machine& machine() const;

    /// Memory of device `device`, for operands that are to live there; freed by release() or with
    /// the Context. Throws Error(out_of_memory).
    void* allocate(DeviceId device, std::size_t bytes);
    /// Host memory that devices copy from and to at full speed: pinned, where there are GPUs. Freed
    /// in the same way.
    void* allocate_host(std::size_t bytes);
    void release(void* pointer) noexcept;
    /// Copies bytes between host and devices, or within either; done when it returns. Throws
    /// Error(bad_argument) when they reach beyond memory that was allocated here.
    void copy(void* to, const void* from, std::size_t bytes);
    /// The memory that a pointer points into. Memory that no device owns is `host`, or, beside
    /// GPUs, `pageable` unless it is pinned.
    MemoryId locate(const void* pointer) const;

    /// Promises that the matrix which begins at this pointer does not change until drop(): calls
    /// may then copy it to a device once and read the copy, whenever they read a matrix that begins
    /// there. A call that writes to it drops it. Where memory is short it is copied no more.
    /// Memory that is freed or changed must be dropped before. Throws Error(bad_argument) for null.
    void keep(const void* pointer);
    /// Ends the promise. Throws Error(bad_argument) when the pointer is not kept.
    void drop(const void* pointer);

    /// The plan that a call of this problem would run, from the cache when it is there.
    std::shared_ptr<const Plan> plan(const Problem& problem);
    /// Uses this plan for its problem from now on. Throws Error(invalid_plan) when it has faults,
    /// was made for another machine or takes more memory than the options allow.
    void adopt(Plan plan);
    /// Plans in the cache.
    std::size_t cached_plans() const;

    /// Called after every planned call, in the calling thread; an empty function stops it.
    void observe(std::function<void(const Report&)> observer);
    /// Called with each line that `verbose` asks for; the library itself never prints.
    void log(std::function<void(std::string_view)> sink);

    // For the parts of Gemmill itself.
    struct State;
    State& state() const;
    /// The state, which stays as long as it is held: what a call does first. Throws as said above.
    std::shared_ptr<State> use() const;

  private:
    void end() noexcept;
    std::shared_ptr<State> state_;
};

/// The Context of calls that name none, made on first use from the environment.
GEMMILL_API Context& default_context();

}  // namespace gemmill
