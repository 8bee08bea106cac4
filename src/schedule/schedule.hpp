// SPDX-License-Identifier: Apache-2.0
// One scheduler, two clocks: on the model's it is a planner of any tasks on any machine, on a
// backend's it is the dynamic runtime. Either way there is a plan in the end, which can be checked,
// drawn and run again.
#pragma once

#include <limits>
#include <vector>

#include "exec/backend.hpp"
#include "gemmill/plan.hpp"
#include "model/engine.hpp"
#include "schedule/memory/traffic.hpp"
#include "schedule/options.hpp"
#include "schedule/queue/deal.hpp"
#include "task/tasks.hpp"

namespace gemmill {

/// A plan with its prediction. The frame has the machine, operands, goal, devices and limits.
/// Throws Error(out_of_memory) when a memory does not hold a few tiles, and Error(no_device) when
/// there is no way for a tile.
Plan schedule_on_clock(const Plan& frame, const Tasks& tasks, const ScheduleOptions& options);

/// A run that decided while it went.
struct DynamicRun {
    Plan plan;  ///< what was done, without a prediction; run again it gives the same bits
    Timeline timeline;
};
/// How far a trial may go.
struct TrialLimit {
    double seconds = std::numeric_limits<double>::infinity();  ///< of the clock
    double work = std::numeric_limits<double>::infinity();     ///< in steps that it takes to make
};
struct ScheduleTrial {
    double seconds = std::numeric_limits<double>::infinity();  ///< infinity: it was given up
    double work = 0;
};
/// What trials on one machine, which must outlive them, have in common.
struct TrialGround {
    explicit TrialGround(const Machine& machine) : sharing(sharing_of(machine)), idle(machine) {}
    Sharing sharing;
    Traffic idle;
};
/// The same for one of many: given up when a step ends later than it may, or when it is too much
/// work. The plan is a frame, or that of another trial, of which only the frame is kept; it gets no
/// prediction.
ScheduleTrial schedule_within(Plan& plan, const Tasks& tasks, const ScheduleOptions& options,
                              TrialGround& ground, const TrialLimit& limit);

/// The same on a clock of a machine that is disturbed, which the scheduler does not know. Throws
/// Error(internal) that says why when a device or a link stops for good.
DynamicRun schedule_disturbed(const Plan& frame, const Tasks& tasks, const ScheduleOptions& options,
                              std::span<const Disturbance> disturbances, const Deal& deal = {});

/// The same on a backend, whose machine is the frame's.
DynamicRun schedule_on_backend(const Plan& frame, const Tasks& tasks,
                               const ScheduleOptions& options, Backend& backend,
                               const Binding& binding, const Deal& deal = {});

}  // namespace gemmill
