// SPDX-License-Identifier: Apache-2.0
// Who does the steps of a plan. Reactive: steps are submitted, completions come back. A static
// plan submits everything and waits; a dynamic scheduler submits, looks and decides.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gemmill/error.hpp"
#include "gemmill/plan.hpp"

namespace gemmill {

/// The pointers and numbers of one call, bound to the operands of a plan.
struct Binding {
    std::vector<const void*> data;  ///< by OperandId; the target is written through
    std::vector<index_t> ld;
    Scalar alpha, beta;
    bool timed = true;  ///< whether completions say when; some backends tell that at a cost
};

/// A step that ended. When code is not ok its effect did not happen, and steps that wait for it
/// never start.
struct Completion {
    StepId step = -1;
    StepTime time;
    Code code = Code::ok;
    std::string text;
};

/// One run of one plan.
class Session {
  public:
    /// Ends the run: steps that started are finished, others are dropped. After it nothing touches
    /// the bound operands.
    virtual ~Session() = default;

    /// Takes plan.steps[step], whose waits were submitted before; copies what it needs, so that
    /// the plan may get more tiles, buffers, waits and steps between calls. Its machine, queues and
    /// slabs stay as they were when the session was opened.
    virtual void submit(StepId step) = 0;

    /// The next completion; blocks until there is one. nullopt when no submitted step is left that
    /// can run.
    virtual std::optional<Completion> next() = 0;

    /// Waits until no submitted step is left that can run: cheaper than next() for each of them.
    /// True: all of them ended. False: one failed, or the session can only tell step by step; then
    /// next() tells of each.
    virtual bool wait() { return false; }
};

class Backend {
  public:
    virtual ~Backend() = default;

    virtual const Machine& machine() const noexcept = 0;
    /// Whether a device failed in such a way that this process cannot use it any more. The others
    /// go on.
    virtual bool lost(DeviceId /*device*/) const noexcept { return false; }

    /// Starts a run; gets the memory that plan.slab asks for. The plan must outlive the session.
    /// Throws Error(out_of_memory), or Error(no_device) where the plan needs a device that was
    /// lost, and then nothing is held.
    virtual std::unique_ptr<Session> open(const Plan& plan, const Binding& binding) = 0;

    /// Memory of the machine that operands can live in.
    virtual void* allocate(MemoryId memory, std::size_t bytes) = 0;
    virtual void release(void* pointer) noexcept = 0;
    /// Copies between any two places that hold operands; done when it returns.
    virtual void copy(void* to, const void* from, std::size_t bytes);
    /// Bytes of a memory that could be had now.
    virtual std::int64_t room(MemoryId memory) const;
    /// The memory that a pointer lies in; the host's when it is none of ours.
    virtual MemoryId locate(const void* pointer) const noexcept = 0;
    /// Whether so many bytes from a pointer on lie all in one block of allocate(), or touch none.
    virtual bool keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept = 0;
};

}  // namespace gemmill
