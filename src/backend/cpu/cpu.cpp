// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "backend/cpu/workers.hpp"
#include "backend/perform.hpp"
#include "plan/access.hpp"
#include "plan/order.hpp"

namespace gemmill {

struct CpuBackend::State {
    explicit State(CpuSetup s)
        : setup(std::move(s)), slabs(setup.allocate), workers(threads_of(setup)) {}

    static std::vector<int> threads_of(const CpuSetup& setup) {
        if (!setup.threads_of.empty()) return setup.threads_of;
        return std::vector<int>(setup.machine.devices.size(), setup.threads);
    }

    CpuSetup setup;
    std::mutex turn;  // held by the open session
    Blocks blocks;
    Slabs slabs;
    Workers workers;
};

namespace {

using Clock = std::chrono::steady_clock;

/// The device whose threads do a step: a kernel's own, a transfer's target or else its source.
std::size_t group_of(const Plan& plan, const Step& step) {
    const Queue& queue = plan.queues[static_cast<std::size_t>(step.queue)];
    if (queue.kind == QueueKind::compute) return static_cast<std::size_t>(queue.index);
    const Link& link = plan.machine.links[static_cast<std::size_t>(queue.index)];
    for (const MemoryId memory : {link.to, link.from})
        for (std::size_t d = 0; d < plan.machine.devices.size(); ++d)
            if (plan.machine.devices[d].memory == memory) return d;
    return 0;
}

class CpuSession final : public Session {
  public:
    CpuSession(CpuBackend::State& state, const Plan& plan, const Binding& binding)
        : state_(state),
          turn_(state.turn),
          plan_(plan),
          binding_(binding),
          slabs_(state.slabs.reserve(plan)),
          order_(plan.queues.size()),
          start_(Clock::now()) {}

    ~CpuSession() override {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        state_.workers.drain();
    }

    void submit(StepId id) override {
        const Step& step = plan_.steps[static_cast<std::size_t>(id)];
        const std::lock_guard lock(mutex_);
        if (static_cast<std::size_t>(id) >= jobs_.size())
            jobs_.resize(static_cast<std::size_t>(id) + 1);
        jobs_[static_cast<std::size_t>(id)] = {make_task(plan_, step, binding_, slabs_),
                                               group_of(plan_, step), !moves(step)};
        order_.submit(id, step.queue, waits_of(plan_, step), startable_);
        start_all();
    }

    std::optional<Completion> next() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !completions_.empty() || lost_ || started_ == 0; });
        if (lost_) return std::exchange(lost_, std::nullopt);
        if (completions_.empty()) return std::nullopt;
        Completion completion = std::move(completions_.front());
        completions_.pop_front();
        return completion;
    }

  private:
    struct Job {
        Task task;
        std::size_t group = 0;
        bool computes = false;
    };

    void start_all() {
        for (std::size_t i = 0; i < startable_.size() && !closed_; ++i) {
            const StepId id = startable_[i];
            state_.workers.add(jobs_[static_cast<std::size_t>(id)].group, [this, id] { work(id); });
            ++started_;
        }
        startable_.clear();
    }

    double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Job job_of(StepId id) {
        const std::lock_guard lock(mutex_);
        return jobs_[static_cast<std::size_t>(id)];
    }

    /// A slowed device sleeps after each kernel, as long as makes it as slow as it shall be.
    void sleep_after(const Job& job, double seconds) const {
        const std::vector<double>& rates = state_.setup.rates;
        if (rates.empty() || !job.computes) return;
        const double rate = rates[job.group];
        if (rate < 1)
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds * (1 / rate - 1)));
    }

    void work(StepId id) noexcept {
        Completion completion;
        completion.step = id;
        completion.time.begin = now();
        const Job job = job_of(id);
        attempt(job.task, state_.setup.kernels, completion);
        sleep_after(job, now() - completion.time.begin);
        completion.time.end = now();
        const std::lock_guard lock(mutex_);
        --started_;
        try {
            complete(std::move(completion));
        } catch (const std::exception& error) {  // no memory to go on with
            closed_ = true;
            lost_.emplace().step = id;
            fail(*lost_, error.what());
        }
        changed_.notify_all();
    }

    void complete(Completion completion) {
        if (completion.code == Code::ok) {
            order_.complete(completion.step, startable_);
            start_all();
        }
        completions_.push_back(std::move(completion));
    }

    CpuBackend::State& state_;
    const std::unique_lock<std::mutex> turn_;
    const Plan& plan_;
    const Binding binding_;
    const std::span<std::byte* const> slabs_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Order order_;
    std::vector<Job> jobs_;
    std::vector<StepId> startable_;
    std::deque<Completion> completions_;
    std::optional<Completion> lost_;  // of a step whose end could not be told
    int started_ = 0;                 // given to the workers and not ended
    bool closed_ = false;
    const Clock::time_point start_;
};

}  // namespace

CpuBackend::CpuBackend(CpuSetup setup) : state_(std::make_unique<State>(std::move(setup))) {}
CpuBackend::~CpuBackend() = default;

const Machine& CpuBackend::machine() const noexcept { return state_->setup.machine; }

std::unique_ptr<Session> CpuBackend::open(const Plan& plan, const Binding& binding) {
    return std::make_unique<CpuSession>(*state_, plan, binding);
}

void* CpuBackend::allocate(MemoryId memory, std::size_t bytes) {
    auto owner =
        state_->setup.allocate(machine().memories[static_cast<std::size_t>(memory)], bytes);
    return state_->blocks.add(memory, std::move(owner), bytes);
}

void CpuBackend::release(void* pointer) noexcept { state_->blocks.remove(pointer); }

bool CpuBackend::keeps_to_blocks(const void* pointer, std::size_t bytes) const noexcept {
    return state_->blocks.keep(pointer, bytes);
}

MemoryId CpuBackend::locate(const void* pointer) const noexcept {
    const MemoryId found = state_->blocks.find(pointer);
    return found >= 0 ? found : find_memory(machine(), "host");
}

}  // namespace gemmill
