// SPDX-License-Identifier: Apache-2.0
// What a CPU does beside GPUs, as CALDGEMM has it: it computes where the matrices lie, in
// rectangles of tasks that are one kernel each, for a host BLAS wants large ones.
//
//   first phase   a strip at the end of the target (strip.hpp), half of what is left of it at a
//   time
//                 from its beginning, so that GPUs can take over its end; or whole columns of
//                 tiles, by the ratio of rates, rounded in favour of the GPUs
//   second phase  when the CPU has done that: the same ratio of what is left
//   third phase   then one task at a time, while at least two are left for each GPU
// Nothing is begun that is likely to end after all the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// What a device that computes in host memory does: tasks like any other, rectangles beside GPUs,
/// or nothing, where it can reach neither the matrices nor a way to them.
enum class CpuUse : std::uint8_t { tasks, rectangles, nothing };
/// The plan has the tasks' tiles. Of a device with memory of its own: tasks.
CpuUse use_of(const Plan& plan, const Tasks& tasks, DeviceId device);

/// Whether a task is a part of the strip.
bool in_strip(const Tasks& tasks, TaskId task);

/// Whether one device takes all tasks, beside a CPU that takes rectangles of them or nothing.
bool is_alone(const Plan& plan, const Tasks& tasks);

/// The one instruction that makes all these tasks where the target lies; its tiles are added to
/// those of the plan.
Step merged_step(Plan& plan, const Tasks& tasks, std::span<const TaskId> some);

/// What the CPU gets where `asked` is what the options ask for (ScheduleOptions::cpu_part): by the
/// model's rates flops of the CPU over those of all, or nothing where that would hardly be felt
/// (worth_the_cpu).
double part_of_cpu(const Plan& plan, const Tasks& tasks, DeviceId cpu, double asked);
/// flop/s of the CPU where it makes a task, of the strip if there is one, and of GPUs together, by
/// the model.
double rate_of_cpu(const Plan& plan, const Tasks& tasks, DeviceId cpu);
double rate_of_gpus(const Plan& plan, const Tasks& tasks);

class Rectangles {
  public:
    /// The CPU gets about this part of all tasks.
    Rectangles(const Tasks& tasks, double part, std::size_t gpus);

    /// What the scheduler knows of tasks.
    struct Known {
        std::function<bool(TaskId)> is_free;
        /// Whether the CPU would end them in time.
        std::function<bool(const std::vector<TaskId>&)> ends_in_time;
    };
    /// Tasks that the CPU does next, of those that are free; none: it leaves the rest to GPUs.
    std::vector<TaskId> next(const Known& known);

  private:
    std::vector<TaskId> by_phase(std::size_t left);
    std::vector<TaskId> of_strip(const Known& known) const;
    std::vector<TaskId> line_of_strip(index_t line) const;
    std::vector<TaskId> columns(std::size_t count) const;
    std::vector<TaskId> longest_run(std::size_t most) const;
    bool is_free(index_t row, index_t col) const;
    TaskId at(index_t row, index_t col) const;

    const Tasks& tasks_;
    const double part_;
    const std::size_t gpus_;
    index_t rows_ = 0, cols_ = 0;
    std::vector<TaskId> grid_;  // by column, then row; -1: none
    std::vector<bool> free_;    // by task
    int phase_;
};

}  // namespace gemmill
