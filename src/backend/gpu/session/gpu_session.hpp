// SPDX-License-Identifier: Apache-2.0
// One run: what session.cpp, starting.cpp and failing.cpp share. A step is issued (put into its
// stream) once all it waits for is issued, not ended: the GPU does the waiting. Only copies through
// pinned slots are issued later than they are submitted, and what waits for them is held back until
// then. What was written to pageable memory and is read again (blocks that are solved) is copied
// without slots, once all of it has reached the host.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backend/gpu/session/clocks.hpp"
#include "backend/gpu/session/issue.hpp"
#include "backend/gpu/session/session.hpp"
#include "backend/gpu/staging/places.hpp"
#include "plan/order.hpp"

namespace gemmill {

class GpuSession final : public Session {
  public:
    GpuSession(GpuBackend::State& state, const Plan& plan, const Binding& binding);
    ~GpuSession() override;
    void submit(StepId id) override;
    std::optional<Completion> next() override;
    bool wait() override;

    GpuRun run() const { return {slabs_, clocks_.begin()}; }

  private:
    using Line = std::deque<StepId>;

    struct Job {
        Task task;
        QueueId queue = -1;
        std::vector<StepId> waits;
        std::vector<StepId> sees;   // writes through slots that it reads
        GpuEvent* event = nullptr;  // recorded behind it; none: it was not issued
        std::unique_ptr<Staging::Move> move;
        bool released = false;  // the move
        bool on_host = true;    // what a move brings to the host is there, or never will be
        bool arrived = false;   // all that a move brings to the host is there
        bool broken = false;    // it failed
        bool doomed = false;    // it failed, or never starts because another one did
        double start = 0;       // when the host gave it to its stream
        StepId before = -1;     // the one issued before it in its stream
        std::optional<StepTime> time;
    };

    static std::size_t index(StepId id) { return static_cast<std::size_t>(id); }
    const Lane& lane_of(const Job& job) const {
        return lanes_[static_cast<std::size_t>(job.queue)];
    }

    // How steps come into streams.
    QueueId stream_of(QueueId queue) const;
    std::vector<StepId> writes_seen(const Step& step) const;
    void announce(StepId id, Job& job);
    void retry_deferred();
    void end_call();
    void start_all();
    void start(StepId id);
    int wait_for_others(const Job& job);
    void issued(StepId id, int fault);
    // What becomes of them when one fails.
    void note_lost(int fault, int gpu) const;
    bool waits_for_lost(const Job& job) const;
    void fail(StepId id, int fault);
    bool is_doomed(const Job& job) const;
    void drop_doomed();
    // What has ended.
    std::optional<Completion> take_ended();
    const StepTime& time_of(StepId id);
    void close();
    void drain(const Lane& lane);

    GpuBackend::State& state_;
    const GpuDriver& driver_;
    const Desks::Hold desk_;
    const ProfileRange range_;
    const Plan& plan_;
    const Binding binding_;
    const std::vector<Lane>& lanes_;
    const std::span<std::byte* const> slabs_;
    EventPool& events_;
    Clocks clocks_;
    const Places places_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Order order_;
    std::deque<Job> jobs_;
    std::vector<StepId> startable_;
    std::vector<StepId> writes_;         // through slots
    std::vector<StepId> deferred_;       // until what they see is on the host
    std::vector<Line> lines_;            // of each queue: issued, and not seen to have ended
    std::map<GpuStream*, StepId> last_;  // issued last, plus one
    std::deque<Completion> failures_;
    std::vector<bool> doomed_;  // streams, by their first queue, in which nothing starts
    int due_ = 0;               // calls that the staging threads will make
    bool closed_ = false;
    bool failed_ = false;
    bool idle_ = false;  // all that was submitted has ended
};

}  // namespace gemmill
