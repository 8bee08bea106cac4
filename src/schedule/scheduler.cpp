// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gemmill/error.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "schedule/room.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

Plan& with_tiles(Plan& plan, const Tasks& tasks) {
    require(plan.machine.memories.size() <= Directory::most_memories, Code::no_device,
            "64 memories at most", "the scheduler cannot follow so many memories");
    plan.tiles = tasks.tiles;
    return plan;
}

}  // namespace

Scheduler::Scheduler(Plan& plan, const Tasks& tasks, const ScheduleOptions& options)
    : plan_(with_tiles(plan, tasks)),
      tasks_(tasks),
      options_(options),
      builder_(plan),
      zones_(zones_of(plan, tasks, options)),
      caches_(builder_, plan, zones_, options.l1),
      issuer_(plan, builder_),
      mover_(issuer_, caches_, options_),
      ready_(tasks, options.squares),
      stations_(plan, tasks, options_, caches_.directory()),
      progress_(tasks.tasks.size()),
      uses_(tasks.tiles.size()) {
    if (!tasks.others.empty()) builder_.follow_target();
    for (std::size_t m = 0; m < plan.slab.size(); ++m) {
        const auto memory = static_cast<MemoryId>(m);
        plan.slab[m] =
            caches_.heap(memory, Zone::sums).size() + caches_.heap(memory, Zone::inputs).size();
    }
    for (const Step& term : tasks.terms)
        for (const Ref& in : term.in)
            if (in.tile >= 0) ++uses_[at(in.tile)];
    for (const Tasks::Task& t : tasks.tasks) {
        if (plan.goal.solves) mover_.set_home(t.target, false);
        double flops = 0;
        for (const Step& term : terms_of(tasks, t)) flops += flops_of(plan, term);
        flops_.push_back(flops);
    }
    open_queues();
}

/// All that may be used: a session has those that were there when it began.
void Scheduler::open_queues() {
    for (const DeviceId d : plan_.devices) {
        const Device& device = plan_.machine.devices[at(d)];
        Worker worker;
        worker.memory = device.memory;
        for (int q = 0; q < std::max(1, std::min(options_.streams, device.queues)); ++q)
            worker.queues.push_back(builder_.compute_queue(d, q));
        worker.share = device.peak[at(target_of(plan_).type)];
        workers_.push_back(std::move(worker));
    }
    double all = 0;
    for (const Worker& worker : workers_) all += worker.share;
    for (Worker& worker : workers_) worker.share /= all;
    for (std::size_t l = 0; l < plan_.machine.links.size(); ++l)
        builder_.transfer_queue(static_cast<LinkId>(l));
}

// --- the loop -----------------------------------------------------------------------------------

Timeline Scheduler::run(Session& session) {
    issuer_.drive(session);
    Timeline timeline;
    while (ended_ < tasks_.tasks.size()) {
        work();
        const auto done = session.next();
        if (!done) stop();
        if (at(done->step) >= timeline.size()) timeline.resize(plan_.steps.size());
        timeline[at(done->step)] = done->time;
        end_step(*done);
    }
    timeline.resize(plan_.steps.size());
    while (const auto done = session.next()) {
        timeline[at(done->step)] = done->time;
        end_step(*done);
    }
    return timeline;
}

void Scheduler::work() {
    modest_ = true;
    while (go_round()) {
    }
    if (issuer_.in_flight() > 0) return;
    modest_ = false;  // each may have left its task to another
    while (go_round()) {
    }
}

/// A step for each device; false when none can go on.
bool Scheduler::go_round() {
    bool some = false;
    for (std::size_t w = 0; w < workers_.size(); ++w) some = go_on(w) || some;
    return some;
}

/// What can run at once goes first, of the oldest task that has some, so that tasks end one after
/// the other. A device that has nothing begins another task; else the task that is least far gets
/// what it waits for, so that tiles that come serve many.
bool Scheduler::go_on(std::size_t w) {
    Worker& worker = workers_[w];
    if (worker.stuck) return false;
    if (worker.running < options_.window)
        if (const TaskId next = find_running(worker); next >= 0) return do_term(w, next, true);
    if (worker.waiting >= options_.ahead || mover_.arriving(worker.memory) >= options_.window)
        return false;
    if (static_cast<int>(worker.begun.size()) < most_begun(worker) && begin_task(w)) return true;
    const TaskId next = find_waiting(worker);
    return next >= 0 && do_term(w, next, false);
}

/// Not more than its share of what is left.
int Scheduler::most_begun(const Worker& worker) const {
    const auto left = static_cast<double>(tasks_.tasks.size() - finished_);
    return std::clamp(static_cast<int>(std::ceil(worker.share * left)), 1, options_.active);
}

TaskId Scheduler::find_running(const Worker& worker) const {
    for (const TaskId t : worker.begun)
        if (can_go(t) && is_present(worker, t)) return t;
    return -1;
}

TaskId Scheduler::find_waiting(const Worker& worker) const {
    TaskId least = -1;
    for (const TaskId t : worker.begun)
        if ((least < 0 || progress_[at(t)].next < progress_[at(least)].next) && can_go(t) &&
            !is_present(worker, t))
            least = t;
    return least;
}

/// Whether all that the next term reads has arrived.
bool Scheduler::is_present(const Worker& worker, TaskId t) const {
    for (const Ref& in : terms_of(tasks_, task(t))[at(progress_[at(t)].next)].in) {
        if (in.tile < 0) continue;
        const CopyId copy = caches_.directory().find(in.tile, worker.memory);
        if (copy >= 0 ? !caches_.at(copy).arrived : !mover_.is_at_home(in.tile, worker.memory))
            return false;
    }
    return true;
}

void Scheduler::end_step(const Completion& done) {
    if (done.code != Code::ok) {
        const Step& step = plan_.steps[at(done.step)];
        throw Error(done.code,
                    fmt::format("step {} ({}): {}", done.step, name_of(plan_, step), done.text));
    }
    mover_.set_now(done.time.end);
    const Flight flight = issuer_.end(done.step);
    if (flight.link >= 0) mover_.traffic().end(flight.link, flight.bytes);
    if (flight.arrives >= 0) caches_.at(flight.arrives).arrived = true;
    if (flight.arrives >= 0 && flight.link >= 0)
        mover_.note_arrival(caches_.at(flight.arrives).memory);
    for (const CopyId copy : flight.reads)
        if (copy >= 0) end_copy(copy);
    if (flight.worker >= 0) {
        Worker& worker = workers_[at(flight.worker)];
        --(flight.runs ? worker.running : worker.waiting);
        worker.busy -= flight.seconds;
    }
    if (flight.task >= 0) ++ended_;
    for (Worker& worker : workers_) worker.stuck = false;
    for (const TaskId t : std::exchange(unwritten_, {})) write_when_read(t);
}

void Scheduler::end_copy(CopyId copy) { caches_.unpin(copy, uses_[at(caches_.at(copy).tile)] > 0); }

void Scheduler::stop() const {
    std::string why = mover_.reason().empty() ? "tasks wait for each other" : mover_.reason();
    throw Error(
        Code::internal,
        fmt::format("the run stopped after {} of {} tasks: {}", ended_, tasks_.tasks.size(), why),
        "a task that can go on");
}

// --- tasks --------------------------------------------------------------------------------------

double Scheduler::seconds_of(std::size_t w, TaskId t) const {
    const Device& device = plan_.machine.devices[at(plan_.devices[w])];
    const Tile& target = plan_.tiles[at(task(t).target)];
    const Type type = operand_of(plan_, target).type;
    const auto m = static_cast<double>(target.rows), n = static_cast<double>(target.cols);
    const auto terms = static_cast<double>(task(t).terms.count);
    const double k = flops_[at(t)] / (terms * m * n * flops_per_fma(type));
    if (flops_[at(t)] <= 0) return device.launch;
    return terms * device.launch + flops_[at(t)] / kernel_rate(device, type, m, n, k);
}

/// Of the last tasks each goes to whoever is likely to end it first.
bool Scheduler::leaves(std::size_t w, TaskId t) const {
    if (!modest_ || !options_.leave_last || !options_.stealing ||
        ready_.size() + stations_.waiting() >= workers_.size())
        return false;
    const double mine = workers_[w].busy + seconds_of(w, t);
    for (std::size_t other = 0; other < workers_.size(); ++other)
        if (other != w && workers_[other].busy + seconds_of(other, t) < mine) return true;
    return false;
}

bool Scheduler::begin_task(std::size_t w) {
    Worker& worker = workers_[w];
    const auto next = stations_.top(w, ready_);
    if (!next || leaves(w, *next)) return false;
    Progress& progress = progress_[at(*next)];
    const bool at_home = task(*next).terms.count == 1 && target_of(plan_).home == worker.memory;
    if (!at_home) {
        progress.sum = caches_.take(task(*next).target, worker.memory, Zone::sums);
        if (progress.sum < 0) return false;
        caches_.at(progress.sum).arrived = true;
    }
    stations_.remove(w, *next);
    ready_.begin(*next);
    progress.worker = static_cast<std::int32_t>(w);
    ++worker.tasks;
    worker.begun.push_back(*next);
    worker.busy += seconds_of(w, *next);
    caches_.directory().set_made(task(*next).target, true);
    return true;
}

/// Whether what the next term reads is there, or is on its way, and what it overwrites is read.
bool Scheduler::can_go(TaskId t) const {
    const Progress& progress = progress_[at(t)];
    if (!plan_.goal.solves) return progress.sum >= 0 || uses_[at(task(t).target)] == 0;
    for (const Ref& in : terms_of(tasks_, task(t))[at(progress.next)].in)
        if (in.tile >= 0 && is_target(in.tile) && !mover_.is_home(in.tile) &&
            caches_.directory().holders(in.tile) == 0)
            return false;
    return true;
}

bool Scheduler::do_term(std::size_t w, TaskId t, bool runs) {
    Worker& worker = workers_[w];
    Progress& progress = progress_[at(t)];
    const auto terms = terms_of(tasks_, task(t));
    const bool first = progress.next == 0, last = at(progress.next) + 1 == terms.size();
    Step step = terms[at(progress.next)];
    Flight flight;
    std::optional<Brought> old;
    flight.runs = runs;
    // Others would only take room from each other.
    worker.stuck = true;
    if (!bring_inputs(worker, step, flight)) return false;
    if (first) progress.late = is_late(progress, step);
    if (last && progress.late) old = mover_.bring_old(task(t).target, worker.memory);
    const bool fills = first && !progress.late && progress.sum >= 0 && reads_out(step);
    if ((last && progress.late && !old) || (fills && !mover_.fill(progress.sum))) {
        let_go(flight);
        return false;
    }
    worker.stuck = false;
    progress.queue = next_queue(worker, runs);
    if (first && progress.late) step.keep = Scale::zero;
    if (old && in_place(step)) add_old(progress, *old);
    issue_term(w, t, step, flight);
    if (old && !in_place(step)) add_old(progress, *old);
    ++progress.next;
    if (last) finish(w, t);
    return true;
}

/// Half of the queues are for kernels that wait, so that others can pass them.
QueueId Scheduler::next_queue(Worker& worker, bool runs) {
    const std::size_t all = worker.queues.size(), wait = all / 2;
    const std::size_t turn = worker.turn++;
    if (wait == 0) return worker.queues.front();
    return worker.queues[runs ? wait + turn % (all - wait) : turn % wait];
}

bool Scheduler::bring_inputs(const Worker& worker, Step& step, Flight& flight) {
    for (std::size_t i = 0; i < step.in.size(); ++i) {
        if (step.in[i].tile < 0) continue;
        const auto brought = mover_.bring(step.in[i].tile, worker.memory);
        if (!brought) {
            let_go(flight);
            return false;
        }
        step.in[i] = brought->ref;
        flight.reads[i] = brought->copy;
    }
    return true;
}

/// Of a step that is not issued.
void Scheduler::let_go(const Flight& flight) {
    for (const CopyId copy : flight.reads)
        if (copy >= 0) caches_.unpin(copy, true);
}

void Scheduler::issue_term(std::size_t w, TaskId t, Step step, Flight flight) {
    Worker& worker = workers_[w];
    Progress& progress = progress_[at(t)];
    const auto terms = terms_of(tasks_, task(t));
    step.queue = progress.queue;
    step.out = {task(t).target, progress.sum >= 0 ? caches_.at(progress.sum).buffer : Ref::home};
    if (progress.sum >= 0) {
        caches_.pin(progress.sum);
        flight.reads[2] = progress.sum;
    } else {
        flight.task = t;
    }
    const bool last = at(progress.next) + 1 == terms.size();
    if (last && plan_.goal.solves) await_new(progress, flight, worker);
    flight.worker = static_cast<std::int32_t>(w);
    flight.seconds = seconds_of(w, t) / static_cast<double>(terms.size());
    for (const Ref& in : terms[at(progress.next)].in)
        if (in.tile >= 0) --uses_[at(in.tile)];
    ++(flight.runs ? worker.running : worker.waiting);
    issuer_.issue(step, flight);
}

/// The old value is added after the products where it is in the device's own memory, or where it
/// would keep a device's first products waiting; but to squares at the diagonal, which an add does
/// not keep real.
bool Scheduler::is_late(const Progress& progress, const Step& term) const {
    if (progress.sum < 0 || !reads_out(term) || in_place(term)) return false;
    if (triangle_at(plan_, tile_of(plan_, term.out)) != Triangle::none) return false;
    const Worker& worker = workers_[at(progress.worker)];
    const bool among_first = worker.tasks <= static_cast<int>(worker.begun.size());
    const bool roomy = zones_[at(worker.memory)].roomy;
    return target_of(plan_).home == worker.memory || (options_.late_first && among_first && roomy);
}

/// Others may be told to read the new tile before it is there.
void Scheduler::await_new(const Progress& progress, Flight& flight, const Worker& worker) {
    if (progress.sum < 0) return;
    flight.arrives = progress.sum;
    caches_.at(progress.sum).arrived = false;
    caches_.at(progress.sum).eta = mover_.now() + worker.busy;
}

void Scheduler::add_old(const Progress& progress, const Brought& old) {
    const Ref sum{old.ref.tile, caches_.at(progress.sum).buffer};
    Flight flight;
    flight.reads = {progress.sum, old.copy, -1};
    caches_.pin(progress.sum);
    issuer_.issue(add_step(plan_, progress.queue, sum, Keep::old, old.ref), flight);
}

void Scheduler::finish(std::size_t w, TaskId t) {
    Worker& worker = workers_[w];
    std::erase(worker.begun, t);
    ++finished_;
    const TileId target = task(t).target;
    const CopyId sum = progress_[at(t)].sum;
    caches_.directory().set_made(target, false);
    if (sum < 0) {
        mover_.set_home(target, true);
        return;
    }
    if (plan_.goal.solves && options_.keep_new && uses_[at(target)] > 0) caches_.list(sum);
    write_when_read(t);
}

/// Old values that others still read must not be overwritten.
void Scheduler::write_when_read(TaskId t) {
    const TileId target = task(t).target;
    const bool read = plan_.goal.solves || uses_[at(target)] == 0;
    if (!read || !mover_.write(progress_[at(t)].sum, t)) {
        unwritten_.push_back(t);
        return;
    }
    if (!plan_.goal.solves) caches_.forget(target);
    mover_.set_home(target, true);
}

}  // namespace gemmill
