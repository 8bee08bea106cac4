// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/sim.hpp"

#include <algorithm>

#include "backend/perform.hpp"
#include "kernel/reference/reference.hpp"
#include "model/engine.hpp"

namespace gemmill {
namespace {

class SimSession final : public Session {
  public:
    SimSession(const Plan& plan, const Binding& binding, const Kernels& kernels,
               const Allocate& allocate)
        : plan_(plan),
          binding_(binding),
          kernels_(kernels),
          slabs_(allocate),
          clock_(plan),
          queue_stopped_(plan.queues.size()) {
        if (has_data()) begins_ = slabs_.reserve(plan);
    }

    void submit(StepId step) override { clock_.submit(step); }

    std::optional<Completion> next() override {
        while (const auto done = clock_.next()) {
            if (waits_for_failure(done->step)) {
                stop(done->step);
                continue;
            }
            Completion completion{done->step, done->time, Code::ok, {}};
            if (has_data()) work(completion);
            return completion;
        }
        return std::nullopt;
    }

  private:
    bool has_data() const {
        const auto target = static_cast<std::size_t>(plan_.goal.target);
        return target < binding_.data.size() && binding_.data[target] != nullptr;
    }

    void work(Completion& completion) {
        attempt(make_task(plan_, step_at(completion.step), binding_, begins_), kernels_,
                completion);
        if (completion.code != Code::ok) stop(completion.step);
    }

    /// The clock goes on after a step that failed; what waits for that step or is behind it in its
    /// queue is not done.
    bool waits_for_failure(StepId id) const {
        const Step& step = step_at(id);
        const auto stopped = [&](StepId other) {
            return static_cast<std::size_t>(other) < stopped_.size() &&
                   stopped_[static_cast<std::size_t>(other)];
        };
        return queue_stopped_[static_cast<std::size_t>(step.queue)] ||
               std::ranges::any_of(waits_of(plan_, step), stopped);
    }
    void stop(StepId id) {
        stopped_.resize(plan_.steps.size());
        stopped_[static_cast<std::size_t>(id)] = true;
        queue_stopped_[static_cast<std::size_t>(step_at(id).queue)] = true;
    }
    const Step& step_at(StepId id) const { return plan_.steps[static_cast<std::size_t>(id)]; }

    const Plan& plan_;
    Binding binding_;
    Kernels kernels_;
    Slabs slabs_;
    std::span<std::byte* const> begins_;
    Clock clock_;
    std::vector<bool> stopped_;        // by step: it failed or was not done; empty: none
    std::vector<bool> queue_stopped_;  // by queue
};

}  // namespace

SimBackend::SimBackend(Machine machine)
    : SimBackend(std::move(machine), reference_kernels(), allocate_host) {}

SimBackend::SimBackend(Machine machine, Kernels kernels, Allocate allocate)
    : machine_(std::move(machine)), kernels_(kernels), allocate_(std::move(allocate)) {}

std::unique_ptr<Session> SimBackend::open(const Plan& plan, const Binding& binding) {
    return std::make_unique<SimSession>(plan, binding, kernels_, allocate_);
}

void* SimBackend::allocate(MemoryId memory, std::size_t bytes) {
    return blocks_.add(
        memory, allocate_(machine_.memories[static_cast<std::size_t>(memory)], bytes), bytes);
}

MemoryId SimBackend::locate(const void* pointer) const noexcept {
    const MemoryId found = blocks_.find(pointer);
    return found >= 0 ? found : find_memory(machine_, "host");
}

}  // namespace gemmill
