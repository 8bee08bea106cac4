// SPDX-License-Identifier: Apache-2.0
// The scheduler's steps: what a term reads is brought, its kernel issued, and a finished sum sent
// home.
#include "model/cost.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "schedule/scheduler.hpp"

namespace gemmill {
namespace {

std::size_t at(auto i) { return static_cast<std::size_t>(i); }

}  // namespace

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
    fill_up(progress, step, flight);
    issue_term(w, t, step, flight);
    if (old && !in_place(step)) add_old(progress, *old);
    ++progress.next;
    worker.lacks = false;
    lockstep_.advance(t);
    if (last) finish(w, t);
    return true;
}

/// Tasks that nobody has begun, as one kernel where the target lies.
bool Scheduler::begin_rectangle(std::size_t w) {
    Worker& worker = workers_[w];
    const Rectangles::Known known{
        [&](TaskId t) { return progress_[at(t)].worker < 0; },
        [&](const std::vector<TaskId>& tasks) { return ends_in_time(worker, tasks); }};
    const std::vector<TaskId> some = rectangles_->next(known);
    if (some.empty()) return false;
    Flight flight;
    flight.count = some.size();
    flight.task = some.front();
    flight.worker = static_cast<std::int32_t>(w);
    flight.runs = flight.last = true;
    for (const TaskId t : some) {
        progress_[at(t)].worker = flight.worker;
        left_flops_ -= flops_[at(t)];
        ready_.remove(t);
        stations_.remove(t);
        lockstep_.leave(t);
        mover_.set_home(task(t).target, true);
        for (const TermReads& term : reads_.of(task(t)))
            for (const TileId tile : term)
                if (tile >= 0) --uses_[at(tile)];
    }
    Step step = merged_step(plan_, tasks_, some);
    step.queue = worker.queues.front();
    flight.seconds = cost_of(plan_, step).seconds();
    worker.busy += flight.seconds;
    ++worker.running, ++worker.open;
    issuer_.issue(step, flight);
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
        const auto brought = mover_.bring(whole_of(tasks_, step.in[i]), worker.memory);
        if (!brought) {
            let_go(flight);
            return false;
        }
        step.in[i].buffer = brought->ref.buffer;
        flight.reads[i] = brought->copy;
    }
    return true;
}

/// A device that is busy needs tiles and no kernels that wait for them: when they are there, the
/// oldest task goes on first. Where tiles may have to go again kernels hold them.
bool Scheduler::fetches_first(const Worker& worker) const {
    const Reuse reuse = zones_[at(worker.memory)].reuse;
    return takers_ == 1 && is_busy(worker) &&
           (reuse == Reuse::all || reuse == Reuse::columns || reuse == Reuse::rows);
}

bool Scheduler::fetch_for(std::size_t w, TaskId t) {
    Worker& worker = workers_[w];
    Step step = terms_of(tasks_, task(t))[at(progress_[at(t)].next)];
    Flight flight;
    worker.stuck = !bring_inputs(worker, step, flight);
    if (!worker.stuck) let_go(flight);
    return !worker.stuck;
}

/// Of a step that is not issued.
void Scheduler::let_go(const Flight& flight) {
    for (const CopyId copy : flight.reads)
        if (copy >= 0) caches_.unpin(copy, true);
}

/// Kernels that take a half-stored square are slower than products. Where several terms of a device
/// that is alone read one, its other triangle is filled up first, and products do.
void Scheduler::fill_up(const Progress& progress, Step& step, const Flight& flight) {
    if (takers_ > 1 || (step.op != Opcode::symm && step.op != Opcode::hemm)) return;
    const std::size_t half = step.side == Side::Left ? 0 : 1;
    const CopyId copy = flight.reads[half];
    if (copy < 0) return;
    if (!caches_.at(copy).mirrored) {
        if (uses_[at(caches_.at(copy).tile)] < 2) return;
        Flight mirror;
        mirror.reads[0] = copy;
        caches_.pin(copy);
        caches_.at(copy).mirrored = true;
        issuer_.issue(mirror_step(plan_, progress.queue, step.in[half], step.in[half]), mirror);
    }
    step.op = Opcode::gemm;
    step.side = Side::Left;
    step.triangle = Triangle::none;
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
    flight.last = last;
    flight.of = t;
    if (last && plan_.goal.solves) await_new(progress, flight, worker);
    flight.worker = static_cast<std::int32_t>(w);
    flight.seconds = seconds_of(w, t) / static_cast<double>(terms.size());
    for (const TileId tile : next_reads(t))
        if (tile >= 0) --uses_[at(tile)];
    ++(flight.runs ? worker.running : worker.waiting);
    issuer_.issue(step, flight);
}

/// The old value is added after the products where it is in the device's own memory, or where there
/// is room for it beside the sum: products need not wait for it then. But not to squares at the
/// diagonal, which an add does not keep real.
bool Scheduler::is_late(const Progress& progress, const Step& term) const {
    if (progress.sum < 0 || !reads_out(term) || in_place(term)) return false;
    if (triangle_at(plan_, tile_of(plan_, term.out)) != Triangle::none) return false;
    const Worker& worker = workers_[at(progress.worker)];
    const bool roomy = zones_[at(worker.memory)].olds > 0;
    return target_of(plan_).home == worker.memory || (options_.late && roomy);
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
    const QueueId adds = workers_[at(progress.worker)].adds;
    const QueueId queue = adds >= 0 && progress.late ? adds : progress.queue;
    issuer_.issue(add_step(plan_, queue, sum, Keep::old, old.ref), flight);
}

void Scheduler::finish(std::size_t w, TaskId t) {
    Worker& worker = workers_[w];
    std::erase(worker.begun, t);
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
