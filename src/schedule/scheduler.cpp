// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "model/cost.hpp"
#include "plan/access.hpp"
#include "plan/build/steps.hpp"
#include "schedule/queue/strip.hpp"
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

/// How a device is to go through tasks that nobody dealt.
Zones zones_in(const Plan& plan, const Tasks& tasks, std::span<const Zones> zones,
               const Deal& deal) {
    if (!deal.empty() || !is_alone(plan, tasks)) return {};
    const auto takes = [&](DeviceId d) { return use_of(plan, tasks, d) == CpuUse::tasks; };
    return zones[at(plan.machine.devices[at(*std::ranges::find_if(plan.devices, takes))].memory)];
}

/// Tasks that keep in step; 0: each goes on by itself.
int block_in(const Zones& zones) { return zones.reuse == Reuse::blocks ? zones.together : 0; }

Walk walk_of(const Plan& plan, const Tasks& tasks, const Zones& zones) {
    Walk walk;
    if (zones.reuse == Reuse::blocks) walk.strip = strip_for(tasks, zones.together);
    if (zones.reuse == Reuse::columns || zones.reuse == Reuse::rows) walk.strip = 1;
    walk.rows = zones.reuse == Reuse::rows;
    if (zones.reuse == Reuse::chains) walk.chains = zones.together;
    walk.diagonal_last = is_alone(plan, tasks) && target_of(plan).triangle != Triangle::none;
    return walk;
}

/// What devices begin with where they are free to take from each other in the end.
Deal dealt(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options, const Deal& deal) {
    const bool chains = deal.empty() && options.chains && !is_alone(plan, tasks);
    Deal all = chains ? deal_of_chains(plan, tasks) : deal;
    return options.stealing ? with_strip_dealt(plan, tasks, std::move(all)) : all;
}

}  // namespace

Scheduler::Scheduler(Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
                     const Deal& deal, const Traffic& idle)
    : plan_(with_tiles(plan, tasks)),
      tasks_(tasks),
      reads_(tasks),
      options_(options),
      builder_(plan),
      zones_(zones_of(plan, tasks, options)),
      caches_(builder_, plan, zones_, options.l1),
      issuer_(plan, builder_),
      mover_(issuer_, caches_, options_, idle),
      ready_(tasks, options.squares, dealt(plan, tasks, options, deal),
             walk_of(plan, tasks, zones_in(plan, tasks, zones_, deal))),
      lockstep_(tasks, ready_.order(), block_in(zones_in(plan, tasks, zones_, deal))),
      stations_(plan, tasks, options_, caches_.directory(), ready_.strict()),
      progress_(tasks.tasks.size()),
      uses_(tasks.tiles.size()) {
    if (!tasks.others.empty()) builder_.follow_target();
    for (std::size_t m = 0; m < plan.slab.size(); ++m) {
        const auto memory = static_cast<MemoryId>(m);
        for (const Zone zone : {Zone::sums, Zone::inputs, Zone::olds})
            plan.slab[m] += caches_.heap(memory, zone).size();
    }
    for (const TermReads& term : reads_.all())
        for (const TileId tile : term)
            if (tile >= 0) ++uses_[at(tile)];
    flops_.reserve(tasks.tasks.size());
    for (const Tasks::Task& t : tasks.tasks) {
        if (plan.goal.solves) mover_.set_home(t.target, false);
        double flops = 0;
        for (const Step& term : terms_of(tasks, t)) flops += flops_of(plan, term);
        flops_.push_back(flops);
        left_flops_ += flops;
    }
    open_queues();
}

/// Whether kernels reach most of what the device can do.
bool Scheduler::fills(DeviceId d) const {
    constexpr double most = 0.9, large = 1 << 16;
    const Device& device = plan_.machine.devices[at(d)];
    const Type type = target_of(plan_).type;
    double flops = 0, seconds = 0;
    for (std::size_t t = 0; t < flops_.size(); ++t) {
        flops += flops_[t];
        seconds += seconds_of(device, static_cast<TaskId>(t));
    }
    return flops >= most * seconds * kernel_rate(device, type, large, large, large);
}

/// A device runs kernels of several queues in an order of its own. Where each fills it, nothing is
/// gained by that, and what a task waits for comes late: those of a device that is alone are in one
/// queue then, and old values, which may come later than other products, are added in another.
void Scheduler::open_queues(DeviceId d, Worker& worker) {
    const int most = std::max(1, std::min(options_.streams, plan_.machine.devices[at(d)].queues));
    const bool one = is_alone(plan_, tasks_) && most > 1 && fills(d);
    for (int q = 0; q < (one ? 1 : most); ++q)
        worker.queues.push_back(builder_.compute_queue(d, q));
    if (one) worker.adds = builder_.urgent_queue(d);
}

/// All that may be used: a session has those that were there when it began.
void Scheduler::open_queues() {
    for (const DeviceId d : plan_.devices) {
        const Device& device = plan_.machine.devices[at(d)];
        Worker worker;
        worker.memory = device.memory;
        worker.use = use_of(plan_, tasks_, d);
        open_queues(d, worker);
        if (worker.use == CpuUse::rectangles && !open_rectangles(d)) worker.use = CpuUse::nothing;
        if (worker.use != CpuUse::nothing) worker.share = device.peak[at(target_of(plan_).type)];
        if (worker.use == CpuUse::tasks) ++takers_;
        workers_.push_back(std::move(worker));
    }
    double all = 0;
    for (const Worker& worker : workers_) all += worker.share;
    for (Worker& worker : workers_) worker.share /= all;
    for (std::size_t l = 0; l < plan_.machine.links.size(); ++l)
        builder_.transfer_queue(static_cast<LinkId>(l));
}

/// False where it gets nothing.
bool Scheduler::open_rectangles(DeviceId cpu) {
    const double part = part_of_cpu(plan_, tasks_, cpu, options_.cpu_part);
    if (part <= 0) return false;
    const auto gpus = std::ranges::count_if(
        plan_.devices, [&](DeviceId d) { return use_of(plan_, tasks_, d) == CpuUse::tasks; });
    rectangles_.emplace(tasks_, part, at(gpus));
    cpu_rate_ = rate_of_cpu(plan_, tasks_, cpu);
    gpu_rate_ = rate_of_gpus(plan_, tasks_);
    return true;
}

// --- the loop -----------------------------------------------------------------------------------

Timeline Scheduler::run(Session& session) {
    auto timeline = try_run(session);
    if (!timeline) stop();
    return std::move(*timeline);
}

std::optional<Timeline> Scheduler::try_run(Session& session) {
    // A tile comes for most terms, and targets come and go.
    issuer_.drive(session, 2 * tasks_.terms.size() + 3 * tasks_.tasks.size());
    Timeline timeline;
    while (ended_ < tasks_.tasks.size()) {
        work();
        const auto done = session.next();
        if (!done) return std::nullopt;
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
    wake_all();
    while (go_round()) {
    }
}

/// A step for each device; false when none can go on.
bool Scheduler::go_round() {
    bool some = false;
    for (std::size_t w = 0; w < workers_.size(); ++w)
        if (!workers_[w].idle) some = go_on(w) || some;
    return some;
}

/// What can run at once goes first, of the oldest task that has some, so that tasks end one after
/// the other. A device that has nothing begins another task; else the task that is least far gets
/// what it waits for, so that tiles that come serve many.
bool Scheduler::go_on(std::size_t w) {
    Worker& worker = workers_[w];
    if (worker.use == CpuUse::rectangles) return worker.running == 0 && begin_rectangle(w);
    if (worker.stuck || worker.use == CpuUse::nothing) return false;
    if (worker.running < options_.window && !worker.lacks) {
        if (const TaskId next = find_running(worker); next >= 0) return do_term(w, next, true);
        worker.lacks = tasks_.others.empty();
    }
    if (!is_busy(worker) && begin_beside(w)) return true;
    // Where tasks wait for each other, what others do may concern it as well.
    worker.idle = tasks_.others.empty();
    if (worker.waiting >= options_.ahead || mover_.arriving(worker.memory) >= options_.fetches)
        return false;
    const int most = std::max(options_.active, block_in(zones_[at(worker.memory)]));
    if (static_cast<int>(worker.begun.size()) < most && may_begin(worker)) {
        worker.idle = false;
        if (begin_task(w)) return true;
    }
    const TaskId next = find_waiting(worker);
    if (next < 0) return false;
    worker.idle = false;
    return fetches_first(worker) ? fetch_for(w, next) : do_term(w, next, false);
}

void Scheduler::wake_all() {
    for (Worker& worker : workers_) worker.idle = false;
}

/// Whose memory has something new, or something that is no longer held.
void Scheduler::wake(const Flight& flight) {
    std::uint64_t memories = 0;
    const auto add = [&](CopyId copy) {
        if (copy >= 0) memories |= Directory::bit(caches_.at(copy).memory);
    };
    add(flight.arrives);
    for (const CopyId copy : flight.reads) add(copy);
    const MemoryId arrived = flight.arrives >= 0 ? caches_.at(flight.arrives).memory : -1;
    for (Worker& worker : workers_) {
        if ((memories & Directory::bit(worker.memory)) != 0) worker.idle = false;
        if (worker.memory == arrived) worker.lacks = false;
    }
    if (flight.worker >= 0) workers_[at(flight.worker)].idle = false;
}

/// No more than its share of what is not computed, or half of that: the other half is for whoever
/// turns out to be faster (factoring: Hummel, Schonberg, Flynn, 1992), if there is anybody. Two
/// tasks at least, so that one is fetched while the other is computed. Where all of A comes
/// together all go on with what has come, and are of many sizes: there flops count, not tasks.
bool Scheduler::may_begin(const Worker& worker) const {
    const double part = options_.halves && takers_ > 1 ? 0.5 : 1;
    const double mine = worker.share / worker.pace / speed_ * part;
    if (tasks_.together) return worker.open == 0 || worker.flops < mine * left_flops_;
    const auto left = static_cast<double>(tasks_.tasks.size() - computed_);
    return worker.open < std::max(2, static_cast<int>(std::ceil(mine * left)));
}

/// Seconds in which the device computed against what was expected, of about as many kernels as are
/// in flight: what it did long ago says nothing of what it does now. Kernels beside each other
/// count once.
void Scheduler::note_pace(Worker& worker, const StepTime& time, double expected) {
    const double kept = 1 - 1.0 / options_.window;
    const double seconds = std::max(0.0, time.end - std::max(time.begin, worker.computed_until));
    worker.measured = kept * worker.measured + seconds;
    worker.expected = kept * worker.expected + expected;
    worker.computed_until = std::max(worker.computed_until, time.end);
    if (worker.measured <= 0 || worker.expected <= 0) return;
    speed_ -= worker.share / worker.pace;
    worker.pace = worker.measured / worker.expected;
    speed_ += worker.share / worker.pace;
}

/// Whether what the next term reads is there, or is on its way, and what it overwrites is read.
inline bool Scheduler::can_go(TaskId t) const {
    if (!plan_.goal.solves) return progress_of(t).sum >= 0 || uses_[at(task(t).target)] == 0;
    for (const TileId tile : next_reads(t))
        if (tile >= 0 && is_target(tile) && !mover_.is_home(tile) &&
            caches_.directory().holders(tile) == 0)
            return false;
    return true;
}

/// Whether all that the next term reads has arrived.
inline bool Scheduler::is_present(const Worker& worker, TaskId t) const {
    for (const TileId tile : next_reads(t)) {
        if (tile < 0) continue;
        const CopyId copy = caches_.directory().find(tile, worker.memory);
        if (copy >= 0 ? !caches_.at(copy).arrived : !mover_.is_at_home(tile, worker.memory))
            return false;
    }
    return true;
}

TaskId Scheduler::find_running(const Worker& worker) const {
    for (const TaskId t : worker.begun)
        if (can_go(t) && is_present(worker, t)) return t;
    return -1;
}

/// Nothing comes for a task that is further ahead of its block than there is room for.
TaskId Scheduler::find_waiting(const Worker& worker) const {
    constexpr int most_lead = 2;  // one term is computed while tiles come for the next
    TaskId least = -1;
    for (const TaskId t : worker.begun)
        if ((least < 0 || progress_[at(t)].next < progress_[at(least)].next) && can_go(t) &&
            (!modest_ || lockstep_.lead(t) < most_lead) &&
            (worker.lacks || !is_present(worker, t)) &&
            !(fetches_first(worker) && is_coming(worker, t)))
            least = t;
    return least;
}

/// Whether all that the next term reads is there or on its way.
bool Scheduler::is_coming(const Worker& worker, TaskId t) const {
    const auto comes = [&](TileId tile) {
        return tile < 0 || mover_.is_at_home(tile, worker.memory) ||
               caches_.directory().find(tile, worker.memory) >= 0;
    };
    return std::ranges::all_of(next_reads(t), comes);
}

void Scheduler::end_step(const Completion& done) {
    if (done.code != Code::ok) {
        const Step& step = plan_.steps[at(done.step)];
        throw Error(done.code,
                    fmt::format("step {} ({}): {}", done.step, name_of(plan_, step), done.text));
    }
    mover_.set_now(done.time.end);
    const Flight flight = issuer_.end(done.step);
    wake(flight);
    if (flight.link >= 0) {
        mover_.traffic().end(flight.link, flight.bytes);
        mover_.traffic().note(flight.link, flight.bytes, done.time.end - done.time.begin);
    }
    if (flight.arrives >= 0 && flight.link >= 0)
        mover_.note_arrival(flight.arrives);
    else if (flight.arrives >= 0)
        caches_.at(flight.arrives).arrived = true;
    for (const CopyId copy : flight.reads)
        if (copy >= 0) end_copy(copy);
    if (flight.worker >= 0) {
        Worker& worker = workers_[at(flight.worker)];
        --(flight.runs ? worker.running : worker.waiting);
        worker.busy -= flight.seconds;
        note_pace(worker, done.time, flight.seconds);
        if (flight.last) --worker.open, computed_ += flight.count;
        if (flight.of >= 0) {
            const double flops = flops_[at(flight.of)] / task(flight.of).terms.count;
            done_flops_ += flops, left_flops_ -= flops;
            worker.flops -= flops;
        }
    }
    if (flight.task >= 0) ended_ += flight.count;
    for (Worker& worker : workers_) worker.stuck = false;
    if (!unwritten_.empty())
        for (const TaskId t : std::exchange(unwritten_, {})) write_when_read(t);
}

void Scheduler::end_copy(CopyId copy) { caches_.unpin(copy, uses_[at(caches_.at(copy).tile)] > 0); }

/// Steps that were given and never ended, or else what there was no room for.
void Scheduler::stop() const {
    std::string why = mover_.reason();
    if (why.empty()) why = "tasks wait for each other";
    std::vector<std::string> silent;
    for (std::size_t w = 0; w < workers_.size(); ++w)
        if (workers_[w].running + workers_[w].waiting > 0)
            silent.push_back(plan_.machine.devices[at(plan_.devices[w])].name);
    if (!silent.empty())
        why = "kernels of " + join(silent, ", ") + " do not end";
    else if (issuer_.in_flight() > 0)
        why = "transfers do not end";
    throw Error(
        Code::internal,
        fmt::format("the run stopped after {} of {} tasks: {}", ended_, tasks_.tasks.size(), why),
        "a task that can go on");
}

// --- tasks --------------------------------------------------------------------------------------

double Scheduler::seconds_of(std::size_t w, TaskId t) const {
    return seconds_of(plan_.machine.devices[at(plan_.devices[w])], t);
}

double Scheduler::seconds_of(const Device& device, TaskId t) const {
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
    const auto end = [&](std::size_t one) {
        return workers_[one].pace * (workers_[one].busy + seconds_of(one, t));
    };
    const double mine = end(w);
    for (std::size_t other = 0; other < workers_.size(); ++other)
        if (other != w && workers_[other].use == CpuUse::tasks && end(other) < mine) return true;
    return false;
}

/// Whether a CPU would end tasks before GPUs end the rest, as fast as these were until now, or as
/// they should be.
bool Scheduler::ends_in_time(const Worker& cpu, const std::vector<TaskId>& some) const {
    double flops = 0;
    for (const TaskId t : some) flops += flops_[at(t)];
    const double rate = done_flops_ > 0 ? done_flops_ / mover_.now() : gpu_rate_;
    return cpu.pace * flops / cpu_rate_ <= (left_flops_ - flops) / rate;
}

/// A device that has nothing to compute while tiles come begins a task more of which a term can run
/// at once. Not where others may be free sooner, or where tasks wait for each other.
bool Scheduler::begin_beside(std::size_t w) {
    if ((takers_ > 1 && !tasks_.together) || !tasks_.others.empty() ||
        workers_[w].begun.size() >= most_begun || !may_begin(workers_[w]))
        return false;
    const auto next = stations_.top(w, ready_);
    return next && can_go(*next) && is_present(workers_[w], *next) && begin_task(w);
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
    ready_.remove(*next);
    ready_.begin(*next);
    progress.worker = static_cast<std::int32_t>(w);
    worker.begun.push_back(*next);
    worker.lacks = false;
    ++worker.open;
    worker.flops += flops_[at(*next)];
    worker.busy += seconds_of(w, *next);
    caches_.directory().set_made(task(*next).target, true);
    for (const TermReads& term : reads_.of(task(*next)))
        for (const TileId tile : term)
            if (tile >= 0) mover_.want(tile, worker.memory);
    return true;
}

}  // namespace gemmill
