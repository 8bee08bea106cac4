// SPDX-License-Identifier: Apache-2.0
// A session of the GPUs has their steps; the CPU's steps are jobs of a worker. A step of a GPU is
// handed on as soon as all it waits for has been, so that streams do the waiting among themselves,
// but not before steps of the CPU that it waits for have ended. A step of the CPU starts when all
// it waits for has ended. What GPUs have ended is seen by a second worker, the pump, which runs
// only where somebody asks for completions or the two halves wait for each other.
#include "backend/joined/session.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "backend/cpu/workers.hpp"
#include "backend/joined/half.hpp"
#include "backend/perform.hpp"
#include "plan/order.hpp"

namespace gemmill {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kernel_worker = 0, pump_worker = 1;

class JoinedSession final : public Session {
  public:
    JoinedSession(GpuBackend& gpus, const CpuKernels& cpu, const Plan& plan, const Binding& binding)
        : plan_(plan),
          binding_(binding),
          cpu_(cpu),
          half_(plan, gpus.machine()),
          gpus_(gpus.open(half_.plan(), binding, &run_)),
          issues_(plan.queues.size()),
          ends_(plan.queues.size()),
          workers_(2, 1) {}

    ~JoinedSession() override {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }

    void submit(StepId id) override {
        const Step& step = plan_.steps[index(id)];
        const auto waits = waits_of(plan_, step);
        const std::lock_guard lock(mutex_);
        if (index(id) >= jobs_.size()) jobs_.resize(index(id) + 1);
        Job& job = jobs_[index(id)];
        job.on_cpu = half_.is_cpu(step.queue);
        job.waits.assign(waits.begin(), waits.end());
        if (job.on_cpu)
            job.task = make_task(plan_, step, binding_, run_.slabs);
        else
            half_.take(plan_, id);
        const auto other = [&](StepId wait) { return jobs_[index(wait)].on_cpu != job.on_cpu; };
        crossed_ = crossed_ || std::ranges::any_of(waits, other);
        issues_.submit(id, step.queue, waits, issuable_);
        ends_.submit(id, step.queue, waits, startable_);
        start_all();
    }

    std::optional<Completion> next() override {
        std::unique_lock lock(mutex_);
        watched_ = true;
        start_pump();
        changed_.wait(lock, [&] { return !completions_.empty() || lost_ || is_idle(); });
        if (lost_) return std::exchange(lost_, std::nullopt);
        if (completions_.empty()) return std::nullopt;
        Completion completion = std::move(completions_.front());
        completions_.pop_front();
        return completion;
    }

    bool wait() override {
        if (crossed_ || !gpus_->wait()) return false;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return running_ == 0; });
        return !lost_ && std::ranges::all_of(completions_, [](const Completion& done) {
            return done.code == Code::ok;
        });
    }

  private:
    struct Job {
        bool on_cpu = false;
        Task task;  // of the CPU's steps
        std::vector<StepId> waits;
        double end = 0;
    };

    static std::size_t index(StepId id) { return static_cast<std::size_t>(id); }
    double now() const { return std::chrono::duration<double>(Steady::now() - run_.start).count(); }
    bool is_idle() const { return running_ == 0 && !pumping_; }

    /// What may be handed on or started now, and what follows from that.
    void start_all() {
        for (std::size_t i = 0; i < issuable_.size() && !closed_; ++i) {
            const StepId id = issuable_[i];
            if (jobs_[index(id)].on_cpu) continue;
            gpus_->submit(id);
            ++issued_;
            issues_.complete(id, issuable_);
        }
        issuable_.clear();
        for (std::size_t i = 0; i < startable_.size() && !closed_; ++i) {
            const StepId id = startable_[i];
            if (!jobs_[index(id)].on_cpu) continue;
            workers_.add(kernel_worker, [this, id] { work(id); });
            ++running_;
        }
        startable_.clear();
        start_pump();
    }

    // --- the CPU --------------------------------------------------------------------------------

    /// A step with its pointers, and when all it waited for had ended: clocks of devices differ a
    /// little, what is known of the order does not.
    std::pair<Task, double> task_of(StepId id) {
        const std::lock_guard lock(mutex_);
        const Job& job = jobs_[index(id)];
        double begin = std::max(now(), last_end_);
        for (const StepId wait : job.waits) begin = std::max(begin, jobs_[index(wait)].end);
        return {job.task, begin};
    }

    void work(StepId id) noexcept {
        Completion completion;
        completion.step = id;
        const auto [task, begin] = task_of(id);
        cpu_.run([&, &task = task] { attempt(task, cpu_.kernels, completion); });
        completion.time = {begin, std::max(begin, now())};
        const std::lock_guard lock(mutex_);
        --running_;
        last_end_ = completion.time.end;
        take(std::move(completion));
    }

    // --- the GPUs -------------------------------------------------------------------------------

    void start_pump() {
        if (!watched_ || pumping_ || closed_ || seen_ == issued_) return;
        pumping_ = true;
        workers_.add(pump_worker, [this] { pump(); });
    }

    /// Until nothing that was handed to the GPUs is left that can run.
    void pump() noexcept {
        for (;;) {
            const std::int64_t handed = handed_on();
            auto done = gpus_->next();
            const bool none = !done;
            const std::lock_guard lock(mutex_);
            if (done) take(*std::move(done));
            if (closed_ || (none && handed == issued_)) {
                seen_ = handed;
                pumping_ = false;
                changed_.notify_all();
                return;
            }
        }
    }

    std::int64_t handed_on() {
        const std::lock_guard lock(mutex_);
        return issued_;
    }

    // --- both -----------------------------------------------------------------------------------

    void take(Completion completion) noexcept {
        const StepId id = completion.step;
        try {
            if (completion.code == Code::ok) go_on(id, completion.time.end);
            completions_.push_back(std::move(completion));
        } catch (const std::exception& error) {  // no memory to go on with
            closed_ = true;
            lost_.emplace().step = id;
            fail(*lost_, error.what());
        }
        changed_.notify_all();
    }

    void go_on(StepId id, double end) {
        Job& job = jobs_[index(id)];
        job.end = end;
        if (job.on_cpu) issues_.complete(id, issuable_);
        ends_.complete(id, startable_);
        start_all();
    }

    const Plan& plan_;
    const Binding binding_;
    const CpuKernels cpu_;
    GpuHalf half_;
    GpuRun run_;
    const std::unique_ptr<Session> gpus_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Order issues_;  // a step of a GPU is done here when it is handed on
    Order ends_;
    std::deque<Job> jobs_;
    std::vector<StepId> issuable_, startable_;
    std::deque<Completion> completions_;
    std::optional<Completion> lost_;  // of a step whose end could not be told
    std::int64_t issued_ = 0;         // steps that the GPUs were handed
    std::int64_t seen_ = 0;           // as many when the pump last found nothing that can run
    int running_ = 0;                 // jobs of the CPU that have not ended
    double last_end_ = 0;             // of a job of the CPU
    bool crossed_ = false;            // a step of one half waits for one of the other
    bool watched_ = false;            // somebody asks for completions
    bool pumping_ = false;
    bool closed_ = false;
    Workers workers_;  // the first to go: its jobs use all else
};

}  // namespace

std::unique_ptr<Session> open_joined_session(GpuBackend& gpus, const CpuKernels& cpu,
                                             const Plan& plan, const Binding& binding) {
    return std::make_unique<JoinedSession>(gpus, cpu, plan, binding);
}

}  // namespace gemmill
