// SPDX-License-Identifier: Apache-2.0
// Reservation stations: the tasks that wait for each device, by how much of them is at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/memory/directory.hpp"
#include "schedule/options.hpp"
#include "schedule/queue/reads.hpp"
#include "schedule/queue/ready.hpp"

namespace gemmill {

class Stations {
  public:
    /// One for each device of the plan. `plan` has the tasks' tiles.
    Stations(const Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
             const Directory& directory, bool strict = false);

    /// The task that the device of a station begins next: what was dealt to it, then the one with
    /// most at hand. Stations are filled from the queue; when that is empty, tasks are stolen from
    /// the fullest one, and then from what was dealt to others.
    std::optional<TaskId> top(std::size_t station, ReadyQueue& queue);
    void remove(std::size_t station, TaskId task);
    /// From whichever station it waits in.
    void remove(TaskId task);
    /// Tasks in all stations.
    std::size_t waiting() const { return waiting_; }

    /// Equation 3 of the paper: 2 for each input in the device's own memory, 1 for each that a
    /// neighbour has, 0 for what the host has; here the mean over the inputs, for along a triangle
    /// tasks differ in their number, and many inputs are no reason to go first.
    double priority(std::size_t station, TaskId task) const;

  private:
    struct Station {
        MemoryId memory = -1;
        std::uint64_t neighbours = 0;  // memories of devices with a link to this one
        std::vector<TaskId> tasks;
        TaskId best = -1;  // of them, as the directory was after so many changes; -1: not known
        std::uint64_t changes = 0;
    };
    struct Ready {
        TaskId task = -1;
        double priority = 0;
    };
    void fill(std::size_t station, ReadyQueue& queue);
    void steal(std::size_t station);
    void add(std::size_t station, TaskId task);
    TaskId best_in(std::size_t station);
    TaskId best_of(std::size_t station, const std::vector<TaskId>& tasks) const;

    const Tasks& tasks_;
    const Reads reads_;
    std::vector<std::uint64_t> homes_;  // by tile: the memory where it lives
    const ScheduleOptions& options_;
    const Directory& directory_;
    const bool strict_;  // tasks are taken in the order of the queue
    std::vector<Station> stations_;
    std::size_t waiting_ = 0;
    std::vector<Ready> first_;  // of the queue
};

}  // namespace gemmill
