// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/sim.hpp"

#include "backend/perform.hpp"
#include "kernel/reference/reference.hpp"
#include "model/engine.hpp"

namespace gemmill {
namespace {

class SimSession final : public Session {
  public:
    SimSession(const Plan& plan, const Binding& binding, const Kernels& kernels,
               const Allocate& allocate)
        : plan_(plan), binding_(binding), kernels_(kernels), slabs_(allocate), clock_(plan) {
        if (has_data()) begins_ = slabs_.reserve(plan);
    }

    void submit(StepId step) override { clock_.submit(step); }

    std::optional<Completion> next() override {
        if (failed_) return std::nullopt;
        const auto done = clock_.next();
        if (!done) return std::nullopt;
        Completion completion{done->step, done->time, Code::ok, {}};
        if (has_data()) work(completion);
        return completion;
    }

  private:
    bool has_data() const {
        const auto target = static_cast<std::size_t>(plan_.goal.target);
        return target < binding_.data.size() && binding_.data[target] != nullptr;
    }

    /// The clock has already started what follows a failed step, so the run ends with it.
    void work(Completion& completion) {
        const Step& step = plan_.steps[static_cast<std::size_t>(completion.step)];
        attempt(make_task(plan_, step, binding_, begins_), kernels_, completion);
        failed_ = completion.code != Code::ok;
    }

    const Plan& plan_;
    Binding binding_;
    Kernels kernels_;
    Slabs slabs_;
    std::span<std::byte* const> begins_;
    Clock clock_;
    bool failed_ = false;
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
