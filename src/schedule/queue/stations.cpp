// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/stations.hpp"

#include <algorithm>

#include "plan/access.hpp"

namespace gemmill {

Stations::Stations(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
                   const Directory& directory, bool strict)
    : tasks_(tasks), reads_(tasks), options_(options), directory_(directory), strict_(strict) {
    homes_.reserve(plan.tiles.size());
    for (const Tile& tile : plan.tiles)
        homes_.push_back(Directory::bit(operand_of(plan, tile).home));
    const Machine& machine = plan.machine;
    std::vector<std::uint64_t> neighbours(machine.memories.size());
    for (const Link& link : machine.links) {
        const auto from = static_cast<std::size_t>(link.from);
        const bool device = machine.memories[from].kind == MemoryKind::device;
        if (link.from != link.to && device)
            neighbours[static_cast<std::size_t>(link.to)] |= Directory::bit(link.from);
    }
    for (const DeviceId d : plan.devices) {
        const MemoryId memory = machine.devices[static_cast<std::size_t>(d)].memory;
        stations_.push_back({memory, neighbours[static_cast<std::size_t>(memory)], {}});
    }
}

double Stations::priority(std::size_t s, TaskId task) const {
    const std::uint64_t own = Directory::bit(stations_[s].memory);
    const std::uint64_t near = options_.l2 ? stations_[s].neighbours : 0;
    int sum = 0, inputs = 0;
    for (const TermReads& term : reads_.of(tasks_.tasks[static_cast<std::size_t>(task)]))
        for (const TileId tile : term) {
            if (tile < 0) continue;
            ++inputs;
            const std::uint64_t holders =
                directory_.holders(tile) | homes_[static_cast<std::size_t>(tile)];
            sum += (holders & own) != 0 ? 2 : (holders & near) != 0 ? 1 : 0;
        }
    return inputs > 0 ? static_cast<double>(sum) / inputs : 0;
}

TaskId Stations::best_of(std::size_t station, const std::vector<TaskId>& tasks) const {
    if (!options_.locality || strict_ || tasks.size() == 1) return tasks.front();
    constexpr double most = 2;  // nothing is better
    TaskId best = -1;
    double highest = -1;
    for (std::size_t i = 0; i < tasks.size() && highest < most; ++i)
        if (const double one = priority(station, tasks[i]); one > highest)
            highest = one, best = tasks[i];
    return best;
}

TaskId Stations::best_in(std::size_t s) {
    Station& station = stations_[s];
    if (station.best < 0 || station.changes != directory_.changes()) {
        station.best = best_of(s, station.tasks);
        station.changes = directory_.changes();
    }
    return station.best;
}

/// The tasks come in the order of the queue, and of equals the first is taken.
void Stations::fill(std::size_t s, ReadyQueue& queue) {
    const int most = strict_ ? 1 : options_.station;  // what is ready later may come before
    const int lacks = most - static_cast<int>(stations_[s].tasks.size());
    if (lacks <= 0 || queue.empty()) return;
    const bool chooses = options_.locality && !strict_;
    const int look = chooses ? options_.look : 1;
    first_.clear();
    queue.each(look + lacks - 1, [&](TaskId t) {
        first_.push_back({t, chooses ? priority(s, t) : 0});
    });
    for (int i = 0; i < lacks && !first_.empty(); ++i) {
        const auto end = first_.begin() + std::min(std::ssize(first_), std::ptrdiff_t{look});
        const auto best = std::ranges::max_element(first_.begin(), end, {}, &Ready::priority);
        queue.remove(best->task);
        add(s, best->task);
        first_.erase(best);
    }
}

/// What fits the thief best of what the fullest station has.
void Stations::steal(std::size_t s) {
    const auto victim =
        std::ranges::max_element(stations_, {}, [](const Station& x) { return x.tasks.size(); });
    if (victim->tasks.empty()) return;
    const TaskId task = best_of(s, victim->tasks);
    remove(static_cast<std::size_t>(victim - stations_.begin()), task);
    add(s, task);
}

std::optional<TaskId> Stations::top(std::size_t s, ReadyQueue& queue) {
    if (waiting_ == 0 && queue.size() == 0) return std::nullopt;
    if (options_.stealing)
        if (const auto other = queue.last_of_laggard(s)) return other;
    if (const auto own = queue.first_of(s)) return own;
    fill(s, queue);
    if (waiting_ > 0 && stations_[s].tasks.empty() && options_.stealing) steal(s);
    if (!stations_[s].tasks.empty()) return best_in(s);
    if (options_.stealing) return queue.last_of_longest();
    return std::nullopt;
}

void Stations::add(std::size_t s, TaskId task) {
    stations_[s].tasks.push_back(task);
    stations_[s].best = -1;
    ++waiting_;
}

void Stations::remove(TaskId task) {
    for (std::size_t s = 0; s < stations_.size(); ++s) remove(s, task);
}

void Stations::remove(std::size_t s, TaskId task) {
    waiting_ -= std::erase(stations_[s].tasks, task);
    stations_[s].best = -1;
}

}  // namespace gemmill
