// SPDX-License-Identifier: Apache-2.0
// Decides one step at a time: which device goes on with which task, and what must move for it. The
// steps make a growing plan. It is driven by completions, of the model's clock or of a real run.
//
//   ready queue --> reservation stations --> tasks that devices have begun --> steps
//        ^                  (steal)                        |
//        +------------- begun, ended <--- completions <----+
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/mover.hpp"
#include "schedule/queue/lockstep.hpp"
#include "schedule/queue/reads.hpp"
#include "schedule/queue/rectangles.hpp"
#include "schedule/queue/stations.hpp"

namespace gemmill {

class Scheduler {
  public:
    /// The plan has its machine, operands, goal, devices and limits; it gets the tasks' tiles, all
    /// queues, and slabs as large as they may become. Throws Error(out_of_memory).
    /// Devices begin what was dealt to them first.
    Scheduler(Plan& plan, const Tasks& tasks, const ScheduleOptions& options, const Deal& deal = {})
        : Scheduler(plan, tasks, options, deal, Traffic(plan.machine)) {}
    /// `idle` is that of a machine like the plan's, which must outlive the scheduler.
    Scheduler(Plan& plan, const Tasks& tasks, const ScheduleOptions& options, const Deal& deal,
              const Traffic& idle);

    /// Does all tasks and returns when each step ran. Throws Error naming the step that failed, or
    /// why no task can go on.
    Timeline run(Session& session);
    /// The same; nothing when no task can go on.
    std::optional<Timeline> try_run(Session& session);
    /// Says why no task can go on.
    [[noreturn]] void stop() const;

    const TileCaches& caches() const { return caches_; }

  private:
    /// One device.
    struct Worker {
        MemoryId memory = -1;
        std::vector<QueueId> queues;
        QueueId adds = -1;          // of kernels that add old values; -1: those of the products
        std::vector<TaskId> begun;  // and not finished
        std::size_t turn = 0;       // of its queues
        int running = 0;            // kernels in flight whose inputs were there
        int waiting = 0;            // and others
        int open = 0;               // tasks begun and not computed
        double flops = 0;           // of begun tasks, that are not computed
        double share = 0;           // of the speed of all devices, as the machine says
        double measured = 0;        // seconds in which it computed
        double expected = 0;        // and what its kernels should have taken
        double computed_until = 0;  // when its last kernel ended
        double pace = 1;            // measured over expected
        double busy = 0;            // seconds that its kernels in flight and begun tasks take
        bool stuck = false;         // no room until something ends
        bool idle = false;          // it cannot go on before something ends that concerns it
        bool lacks = false;         // what its tasks read next has not come when it was looked for
        CpuUse use = CpuUse::tasks;
    };
    /// A task while it is done.
    struct Progress {
        std::int32_t worker = -1;
        std::int32_t next = 0;  // term
        CopyId sum = -1;        // -1: where the target lives
        QueueId queue = -1;
        bool late = false;  // the old value is added after the products
    };

    /// One kernel runs, and the next can follow at once.
    static bool is_busy(const Worker& worker) { return worker.running >= 2; }

    void open_queues();
    void open_queues(DeviceId d, Worker& worker);
    bool fills(DeviceId d) const;
    bool open_rectangles(DeviceId cpu);
    void work();
    bool go_round();
    bool go_on(std::size_t w);
    bool begin_task(std::size_t w);
    bool begin_beside(std::size_t w);
    bool begin_rectangle(std::size_t w);
    bool leaves(std::size_t w, TaskId task) const;
    bool ends_in_time(const Worker& cpu, const std::vector<TaskId>& some) const;
    bool can_go(TaskId task) const;
    bool may_begin(const Worker& worker) const;
    void note_pace(Worker& worker, const StepTime& time, double expected);
    TaskId find_running(const Worker& worker) const;
    TaskId find_waiting(const Worker& worker) const;
    bool is_present(const Worker& worker, TaskId t) const;
    bool is_coming(const Worker& worker, TaskId t) const;
    bool fetches_first(const Worker& worker) const;
    bool fetch_for(std::size_t w, TaskId task);
    bool do_term(std::size_t w, TaskId task, bool runs);
    static QueueId next_queue(Worker& worker, bool runs);
    bool bring_inputs(const Worker& worker, Step& step, Flight& flight);
    void let_go(const Flight& flight);
    void fill_up(const Progress& progress, Step& step, const Flight& flight);
    void issue_term(std::size_t w, TaskId t, Step step, Flight flight);
    void await_new(const Progress& progress, Flight& flight, const Worker& worker);
    void add_old(const Progress& progress, const Brought& old);
    bool is_late(const Progress& progress, const Step& term) const;
    void finish(std::size_t w, TaskId task);
    void write_when_read(TaskId task);
    void end_step(const Completion& done);
    void wake(const Flight& flight);
    void wake_all();
    void end_copy(CopyId copy);
    double seconds_of(std::size_t w, TaskId task) const;
    double seconds_of(const Device& device, TaskId task) const;

    const TermReads& next_reads(TaskId id) const {
        const Tasks::Task& of = task(id);
        return reads_.of(of)[static_cast<std::size_t>(progress_of(id).next)];
    }
    const Progress& progress_of(TaskId id) const { return progress_[static_cast<std::size_t>(id)]; }
    const Tasks::Task& task(TaskId id) const { return tasks_.tasks[static_cast<std::size_t>(id)]; }
    bool is_target(TileId tile) const {
        return plan_.tiles[static_cast<std::size_t>(tile)].operand == plan_.goal.target;
    }

    Plan& plan_;
    const Tasks& tasks_;
    const Reads reads_;
    const ScheduleOptions options_;
    Builder builder_;
    const std::vector<Zones> zones_;  // by memory
    TileCaches caches_;
    Issuer issuer_;
    Mover mover_;
    ReadyQueue ready_;
    Lockstep lockstep_;
    Stations stations_;
    std::vector<Worker> workers_;
    int takers_ = 0;                        // of them that take single tasks
    std::optional<Rectangles> rectangles_;  // of a CPU beside GPUs
    std::vector<Progress> progress_;        // by task
    std::vector<std::int32_t> uses_;        // of each tile by terms that are not issued
    std::vector<TaskId> unwritten_;         // finished, but what they overwrite is still read
    std::vector<double> flops_;             // by task
    std::size_t computed_ = 0;              // tasks of which all terms have ended
    std::size_t ended_ = 0;                 // tasks that are written
    double done_flops_ = 0;                 // of terms that GPUs have computed
    double left_flops_ = 0;                 // of the others, without what a CPU has begun
    double cpu_rate_ = 1;                   // flop/s of a CPU that takes rectangles, as known
    double gpu_rate_ = 1;                   // and of the GPUs beside it
    double speed_ = 1;                      // of all devices: shares over paces
    bool modest_ = true;                    // last tasks are left to whoever is sooner
};

}  // namespace gemmill
