// SPDX-License-Identifier: Apache-2.0
#include "model/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gemmill/error.hpp"
#include "model/cost.hpp"

namespace gemmill {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

template <class T>
decltype(auto) at(std::vector<T>& v, std::integral auto i) {
    return v[static_cast<std::size_t>(i)];
}
template <class T>
decltype(auto) at(const std::vector<T>& v, std::integral auto i) {
    return v[static_cast<std::size_t>(i)];
}

/// Resources of the clock: those of the machine, then one a device (its compute), then one a link.
std::vector<double> capacities(const Machine& machine) {
    std::vector<double> all;
    for (const Resource& resource : machine.resources) all.push_back(resource.bandwidth);
    all.insert(all.end(), machine.devices.size(), 1.0);
    for (const Link& link : machine.links) all.push_back(link.bandwidth);
    return all;
}

/// Appends the resources that steps of a queue need.
void add_resources(const Machine& machine, const Queue& queue, std::vector<ResourceId>& all) {
    const auto shared = static_cast<ResourceId>(machine.resources.size());
    const auto devices = static_cast<ResourceId>(machine.devices.size());
    if (queue.kind == QueueKind::compute) {
        all.push_back(shared + queue.index);
        return;
    }
    const std::vector<ResourceId>& own = at(machine.links, queue.index).resources;
    all.insert(all.end(), own.begin(), own.end());
    all.push_back(shared + devices + queue.index);
}

bool has_one_queue_a_link(const Plan& plan) {
    std::vector<bool> seen(plan.machine.links.size(), false);
    return std::ranges::none_of(plan.queues, [&](const Queue& queue) {
        if (queue.kind != QueueKind::transfer) return false;
        const bool again = at(seen, queue.index);
        at(seen, queue.index) = true;
        return again;
    });
}

/// Root of a set in a forest of parents.
std::size_t root(std::vector<std::size_t>& parent, std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

}  // namespace

Clock::Clock(const Plan& plan, std::span<const Disturbance> disturbances)
    : plan_(plan),
      order_(plan.queues.size(), plan.steps.size()),
      own_(sharing_of(plan.machine)),
      sharing_(*own_),
      issued_(plan.machine.call) {
    make_groups(!disturbances.empty());
    plan_changes(disturbances);
}

Clock::Clock(const Plan& plan, Sharing& sharing, double limit)
    : plan_(plan),
      order_(plan.queues.size(), plan.steps.size()),
      sharing_(sharing),
      limit_(limit * (1 + 1e-9)),
      issued_(plan.machine.call) {
    make_groups(false);
    if (limit == never) return;
    ahead_.assign(load_.size(), 0);
    for (std::size_t r = 0; r < load_.size(); ++r)
        seconds_each_.push_back(1 / sharing.capacity(static_cast<ResourceId>(r)));
}

void Clock::plan_changes(std::span<const Disturbance> disturbances) {
    const std::vector<double> capacity = capacities(plan_.machine);
    const std::size_t devices = plan_.machine.resources.size();
    const std::size_t links = devices + plan_.machine.devices.size();
    for (const Disturbance& d : disturbances) {
        const std::size_t r = (d.is_link ? links : devices) + static_cast<std::size_t>(d.index);
        const auto id = static_cast<ResourceId>(r);
        changes_.push_back({d.from, id, d.rate * capacity[r]});
        if (d.until < never) changes_.push_back({d.until, id, capacity[r]});
    }
    std::ranges::stable_sort(changes_, {}, &Change::time);
}

/// Whether a change comes before anything else, while something is there to be changed.
bool Clock::changes_next(double other) const {
    if (changed_ == changes_.size() || changes_[changed_].time > other) return false;
    const auto has_flows = [](const Group& group) { return !group.flows.empty(); };
    return !events_.empty() || std::ranges::any_of(groups_, has_flows);
}

void Clock::apply(const Change& change) {
    now_ = std::max(now_, change.time);
    sharing_.set_capacity(change.resource, change.capacity);
    const std::size_t group = at(resource_group_, change.resource);
    if (group == groups_.size()) return;
    advance(groups_[group]);
    groups_[group].stale = groups_[group].shaken = true;
}

void Clock::make_groups(bool for_changes) {
    states_.resize(plan_.steps.size());
    const Machine& machine = plan_.machine;
    const auto count = machine.resources.size() + machine.devices.size() + machine.links.size();
    std::vector<std::size_t> parent(count);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    load_.assign(count, 0);
    // A link with one queue carries one transfer at a time, whose cap is what the link can do: as
    // long as that does not change, the link itself limits nothing more.
    const bool links_too = for_changes || !has_one_queue_a_link(plan_);
    channels_.reserve(plan_.queues.size());
    for (const Queue& queue : plan_.queues) {
        Channel channel{uses_.size()};
        add_resources(machine, queue, uses_);
        const bool capped = queue.kind == QueueKind::transfer && !links_too;
        channel.end = uses_.size();
        channel.count = channel.end - channel.first - (capped ? 1 : 0);
        const std::size_t first = root(parent, static_cast<std::size_t>(uses_[channel.first]));
        for (std::size_t i = channel.first; i < uses_.size(); ++i)
            parent[root(parent, static_cast<std::size_t>(uses_[i]))] = first;
        channels_.push_back(channel);
    }
    std::vector<std::size_t> group_of(count, count);
    std::size_t groups = 0;
    for (Channel& channel : channels_) {
        std::size_t& group = group_of[root(parent, static_cast<std::size_t>(uses_[channel.first]))];
        if (group == count) group = groups++;
        channel.group = group;
    }
    groups_.resize(groups);
    if (!for_changes) return;
    for (std::size_t r = 0; r < count; ++r)
        resource_group_.push_back(std::min(group_of[root(parent, r)], groups));
}

void Clock::submit(StepId step) {
    if (static_cast<std::size_t>(step) >= states_.size())
        states_.resize(2 * static_cast<std::size_t>(step) + 1);
    issued_ = std::max(issued_, now_) + plan_.machine.issue;
    const Step& s = at(plan_.steps, step);
    const Cost cost = cost_of(plan_, s);
    State& state = at(states_, step);
    state = {issued_, 0, cost.latency, cost.amount, cost.rate};
    if (limit_ < never) expect(s.queue, state);
    order_.submit(step, s.queue, waits_of(plan_, s), startable_);
    start_all();
}

void Clock::expect(QueueId queue, const State& state) {
    const Channel& channel = at(channels_, queue);
    for (std::size_t i = channel.first; i < channel.end; ++i) {
        double& ahead = at(ahead_, uses_[i]);
        ahead += state.amount * at(seconds_each_, uses_[i]);
        late_ = late_ || plan_.machine.call + ahead > limit_;
    }
}

/// All that has not begun comes after now.
void Clock::begin_expected(QueueId queue, const State& state) {
    const Channel& channel = at(channels_, queue);
    for (std::size_t i = channel.first; i < channel.end; ++i) {
        double& ahead = at(ahead_, uses_[i]);
        late_ = late_ || now_ + ahead > limit_;
        ahead -= state.amount * at(seconds_each_, uses_[i]);
    }
}

void Clock::start_all() {
    for (const StepId step : startable_) {
        State& state = at(states_, step);
        state.begin = std::max(now_, state.release);
        events_.push({state.begin + state.latency, step});
    }
    startable_.clear();
}

void Clock::begin_flow(StepId step) {
    const QueueId queue = at(plan_.steps, step).queue;
    const State& state = at(states_, step);
    if (limit_ < never) begin_expected(queue, state);
    if (state.amount <= 0) {
        complete(step);
        return;
    }
    const Channel& channel = at(channels_, queue);
    Group& group = groups_[channel.group];
    if (!std::exchange(group.active, true)) active_.push_back(channel.group);
    advance(group);
    group.flows.push_back({state.rate, std::span(uses_).subspan(channel.first, channel.count), 0});
    group.steps.push_back(step);
    group.left.push_back(state.amount);
    group.stale = true;
}

/// Brings the amounts left up to now.
void Clock::advance(Group& group) {
    const double passed = now_ - group.updated;
    group.updated = now_;
    if (passed <= 0) return;
    for (std::size_t i = 0; i < group.flows.size(); ++i)
        group.left[i] -= group.flows[i].rate * passed;
}

void Clock::refresh(Group& group) {
    group.stale = false;
    group.next = never;
    if (group.flows.empty()) return;
    if (group.shaken || !add_beside(group)) share_again(group);
    group.settled = group.flows.size();
    group.shaken = false;
    group.ends.resize(group.flows.size());
    for (std::size_t i = 0; i < group.flows.size(); ++i) {
        group.ends[i] = end_of(group, i);
        group.next = std::min(group.next, group.ends[i]);
    }
}

/// Gives new flows all they want where their resources have that left: whoever was there keeps its
/// rate then. False where they have not.
bool Clock::add_beside(Group& group) {
    for (std::size_t i = group.settled; i < group.flows.size(); ++i) {
        Flow& flow = group.flows[i];
        for (const ResourceId r : flow.resources)
            if (at(load_, r) + flow.cap > sharing_.capacity(r) * (1 + 1e-12)) return false;
        flow.rate = flow.cap;
        for (const ResourceId r : flow.resources) at(load_, r) += flow.rate;
        shared_ += 1 + flow.resources.size();
    }
    return true;
}

void Clock::share_again(Group& group) {
    sharing_.share(group.flows);
    for (const Flow& flow : group.flows)
        for (const ResourceId r : flow.resources) at(load_, r) = 0;
    for (const Flow& flow : group.flows) {
        for (const ResourceId r : flow.resources) at(load_, r) += flow.rate;
        shared_ += 1 + flow.resources.size();
    }
}

/// Those that stay get more where a resource of it had nothing left.
void Clock::take_off(Group& group, const Flow& flow) {
    for (const ResourceId r : flow.resources) {
        group.shaken = group.shaken || at(load_, r) >= sharing_.capacity(r) * (1 - 1e-9);
        at(load_, r) -= flow.rate;
    }
}

/// When a flow ends if all stays as it is.
double Clock::end_of(const Group& group, std::size_t i) {
    const double rate = group.flows[i].rate;
    return rate > 0 ? group.updated + std::max(0.0, group.left[i]) / rate : never;
}

/// Ends every flow that has nothing left. The one that set group.next always counts as such, so
/// that rounding cannot leave the clock standing.
void Clock::finish_flows(Group& group) {
    ended_.clear();
    std::size_t kept = 0;
    const double due = group.next;
    for (std::size_t i = 0; i < group.flows.size(); ++i) {
        if (group.ends[i] <= due * (1 + 1e-12)) {
            ended_.push_back(group.steps[i]);
            take_off(group, group.flows[i]);
            continue;
        }
        group.flows[kept] = group.flows[i];
        group.steps[kept] = group.steps[i];
        group.left[kept] = group.left[i] - group.flows[i].rate * (due - group.updated);
        ++kept;
    }
    group.flows.resize(kept);
    group.steps.resize(kept);
    group.left.resize(kept);
    group.updated = due;
    group.settled = kept;
    group.shaken = group.shaken && kept > 0;
    group.stale = true;
    std::ranges::sort(ended_);
    for (const StepId step : ended_) complete(step);
}

void Clock::complete(StepId step) {
    done_.push_back({step, {at(states_, step).begin, now_}});
    order_.complete(step, startable_);
    start_all();
}

/// The group whose flow ends first, of several the first one; nullptr: nothing flows. Groups
/// without flows are taken off the list.
Clock::Group* Clock::first_to_end() {
    Group* first = nullptr;
    for (std::size_t i = 0; i < active_.size();) {
        Group* const group = &groups_[active_[i]];
        if (group->stale) refresh(*group);
        if (group->flows.empty()) {
            group->active = false;
            active_[i] = active_.back();
            active_.pop_back();
            continue;
        }
        if (first == nullptr || group->next < first->next ||
            (group->next == first->next && group < first))
            first = group;
        ++i;
    }
    return first != nullptr && first->next < never ? first : nullptr;
}

std::optional<Clock::Done> Clock::next() {
    while (done_taken_ == done_.size()) {
        done_.clear();
        done_taken_ = 0;
        Group* const first = first_to_end();
        const double flow_time = first != nullptr ? first->next : never;
        const double event_time = events_.empty() ? never : events_.top().time;
        if (changes_next(std::min(flow_time, event_time))) {
            apply(changes_[changed_++]);
        } else if (!events_.empty() && events_.top().time <= flow_time) {
            now_ = events_.top().time;
            while (!events_.empty() && events_.top().time == now_) {
                const StepId step = events_.top().step;
                events_.pop();
                begin_flow(step);
            }
        } else if (first != nullptr) {
            now_ = flow_time;
            finish_flows(*first);
        } else {
            return std::nullopt;
        }
    }
    return done_[done_taken_++];
}

Sharing sharing_of(const Machine& machine) { return Sharing(capacities(machine)); }

namespace {

void submit_all(const Plan& plan, Clock& clock) {
    const auto count = static_cast<StepId>(plan.steps.size());
    for (StepId step = 0; step < count; ++step) clock.submit(step);
}

}  // namespace

Timeline simulate(const Plan& plan, std::span<const Disturbance> disturbances) {
    Clock clock(plan, disturbances);
    submit_all(plan, clock);
    Timeline timeline(plan.steps.size());
    std::size_t ended = 0;
    for (; const auto done = clock.next(); ++ended) at(timeline, done->step) = done->time;
    require(ended == plan.steps.size() || disturbances.empty(), Code::failed_step,
            "devices and links that go on",
            fmt::format("the run stopped after {} of {} steps", ended, plan.steps.size()));
    return timeline;
}

Reached seconds_within(const Plan& plan, double limit, Sharing& sharing, double most_shared) {
    Clock clock(plan, sharing, limit);
    submit_all(plan, clock);
    Reached reached;
    while (!clock.is_late()) {
        const auto done = clock.next();
        if (!done) return reached;
        reached = {done->time.end, reached.steps + 1, clock.shared()};
        if (reached.seconds > limit || static_cast<double>(reached.shared) > most_shared) break;
    }
    return {never, reached.steps, reached.shared};
}

double makespan(const Timeline& timeline) {
    double end = 0;
    for (const StepTime& time : timeline) end = std::max(end, time.end);
    return end;
}

}  // namespace gemmill
