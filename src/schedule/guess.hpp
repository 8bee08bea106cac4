// SPDX-License-Identifier: Apache-2.0
// What a call would take with given sizes of tiles, in closed form: a rough guess, to know which
// sizes are worth a trial on the model's clock.
#pragma once

#include <array>
#include <span>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "schedule/options.hpp"
#include "task/tasks.hpp"

namespace gemmill {

class Guess {
  public:
    /// The frame has the machine, operands and devices of the problem.
    Guess(const Plan& frame, const Problem& problem, const ScheduleOptions& options);

    /// Seconds until all is written: links and devices work side by side; what is left over is the
    /// time until the first products begin, and that of the last products and writes.
    double seconds(const TaskTiles& tiles) const;
    /// Steps of the plan, those that pass pieces of tiles on as well.
    double steps(const TaskTiles& tiles) const;

  private:
    /// How tiles of an operand come to devices.
    struct Flow {
        double bytes = 0;     // of the whole operand that must come
        double rows = 0;      // of the operand as it is stored
        double overhead = 0;  // bytes a column
        double rate = 0;      // from its home to all devices together
        double together = 0;  // of one link while all run
        MemoryId home = -1;
    };
    struct Counts;
    Counts counts_of(const TaskTiles& tiles) const;
    double chains_of(const Counts& counts) const;
    double solve_seconds(const TaskTiles& tiles) const;
    double link_seconds(const Counts& counts) const;
    double kernel_seconds(const TaskTiles& tiles) const;
    double steps_of(const Counts& counts) const;
    double steps_for(double tiles, double bytes, double readers, double bandwidth) const;
    Flow flow_of(OperandId operand, bool leaves) const;

    const Plan& frame_;
    const Problem& p_;
    const double least_piece_;
    double devices_ = 0, flops_ = 0, triangle_ = 1, element_ = 8;
    std::array<Flow, 3> in_;  // of A, B and the old C
    Flow out_;
    double both_ = 0;     // bytes a second that links of C move to and from its home at once
    bool peers_ = false;  // devices pass tiles on to each other
    mutable Plan one_;    // with the machine, for a single step
};

}  // namespace gemmill
