// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue/stations.hpp"

#include <algorithm>

#include "plan/access.hpp"

namespace gemmill {

Stations::Stations(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
                   const Directory& directory, bool strict)
    : plan_(plan), tasks_(tasks), options_(options), directory_(directory), strict_(strict) {
    for (const DeviceId d : plan.devices) {
        Station station;
        station.memory = plan.machine.devices[static_cast<std::size_t>(d)].memory;
        for (const Link& link : plan.machine.links) {
            const auto from = static_cast<std::size_t>(link.from);
            const bool device = plan.machine.memories[from].kind == MemoryKind::device;
            if (link.to == station.memory && link.from != link.to && device)
                station.neighbours |= Directory::bit(link.from);
        }
        stations_.push_back(station);
    }
}

double Stations::priority(std::size_t s, TaskId task) const {
    const Station& station = stations_[s];
    const std::uint64_t own = Directory::bit(station.memory);
    int sum = 0, inputs = 0;
    for (const Step& term : terms_of(tasks_, tasks_.tasks[static_cast<std::size_t>(task)]))
        for (const Ref& in : term.in) {
            if (in.tile < 0) continue;
            ++inputs;
            const MemoryId home = operand_of(plan_, tile_of(plan_, in)).home;
            const std::uint64_t holders =
                directory_.holders(whole_of(tasks_, in)) | Directory::bit(home);
            if ((holders & own) != 0)
                sum += 2;
            else if (options_.l2 && (holders & station.neighbours) != 0)
                sum += 1;
        }
    return inputs > 0 ? static_cast<double>(sum) / inputs : 0;
}

TaskId Stations::best_of(std::size_t station, const std::vector<TaskId>& tasks) const {
    if (!options_.locality || strict_) return tasks.front();
    return *std::ranges::max_element(tasks, {}, [&](TaskId t) { return priority(station, t); });
}

/// The tasks come in the order of the queue, and of equals the first is taken.
void Stations::fill(std::size_t s, ReadyQueue& queue) {
    std::vector<TaskId>& mine = stations_[s].tasks;
    const int most = strict_ ? 1 : options_.station;  // what is ready later may come before
    while (static_cast<int>(mine.size()) < most && !queue.empty()) {
        std::vector<TaskId> first;
        queue.each(options_.locality && !strict_ ? options_.look : 1,
                   [&](TaskId t) { first.push_back(t); });
        const TaskId best = best_of(s, first);
        queue.remove(best);
        mine.push_back(best);
    }
}

/// What fits the thief best of what the fullest station has.
void Stations::steal(std::size_t s) {
    const auto victim =
        std::ranges::max_element(stations_, {}, [](const Station& x) { return x.tasks.size(); });
    if (victim->tasks.empty()) return;
    const TaskId task = best_of(s, victim->tasks);
    std::erase(victim->tasks, task);
    stations_[s].tasks.push_back(task);
}

std::optional<TaskId> Stations::top(std::size_t s, ReadyQueue& queue) {
    if (options_.stealing)
        if (const auto other = queue.last_of_laggard(s)) return other;
    if (const auto own = queue.first_of(s)) return own;
    fill(s, queue);
    if (stations_[s].tasks.empty() && options_.stealing) steal(s);
    if (!stations_[s].tasks.empty()) return best_of(s, stations_[s].tasks);
    if (options_.stealing) return queue.last_of_longest();
    return std::nullopt;
}

void Stations::remove(TaskId task) {
    for (Station& station : stations_) std::erase(station.tasks, task);
}

void Stations::remove(std::size_t s, TaskId task) { std::erase(stations_[s].tasks, task); }

std::size_t Stations::waiting() const {
    std::size_t sum = 0;
    for (const Station& station : stations_) sum += station.tasks.size();
    return sum;
}

}  // namespace gemmill
