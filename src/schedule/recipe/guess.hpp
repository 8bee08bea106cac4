// SPDX-License-Identifier: Apache-2.0
// What a call would take with given sizes of tiles, in closed form: a rough guess, to know which
// sizes are worth a trial on the model's clock.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"
#include "schedule/options.hpp"
#include "task/problem.hpp"
#include "task/tasks.hpp"

namespace gemmill {

class Guess {
  public:
    /// The frame has the machine, operands and devices of the problem.
    Guess(const Plan& frame, const Problem& problem, const ScheduleOptions& options)
        : Guess(frame, frame.devices, problem, options) {}
    /// The same on other devices.
    Guess(const Plan& frame, std::span<const DeviceId> devices, const Problem& problem,
          const ScheduleOptions& options);

    /// Seconds until all is written: links and devices work side by side; what is left over is the
    /// time until the first products begin, and that of the last products and writes.
    double seconds(const TaskTiles& tiles, index_t grain = 1) const;
    /// What buffers of such tiles should be padded to, 1: nothing. Kernels of odd sizes are slower,
    /// but whole columns that lie one behind the other travel faster than padded ones.
    struct Padded {
        index_t grain = 1;
        double seconds = 0;
    };
    Padded padded(const TaskTiles& tiles) const;
    /// Whether all of A may come to all devices: it lies elsewhere, they pass it on to each other
    /// as fast as it comes, and it leaves half of their memory to the rest.
    bool can_spread() const;
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
    TaskTiles targets_of(const TaskTiles& tiles) const;
    std::array<Shape, 3> shapes_of(const TaskTiles& tiles) const;
    double block_of(const TaskTiles& tiles) const;
    std::array<double, 2> times_of(const TaskTiles& tiles, const Counts& counts) const;
    /// A is the factor on the right.
    bool turned() const { return mirrors(p_.routine) && p_.side == Side::Right; }
    Counts counts_of(const TaskTiles& tiles, index_t grain) const;
    double chains_of(const Counts& counts) const;
    double square_seconds(const TaskTiles& tiles) const;
    double link_seconds(const Counts& counts) const;
    double spread_seconds(const Counts& counts, double tiles) const;
    double together_seconds(const Counts& counts) const;
    double first_seconds(const Counts& counts) const;
    double part_without_padding(const TaskTiles& tiles, const Device& device) const;
    double kernel_seconds(const TaskTiles& tiles, index_t grain) const;
    double steps_of(const Counts& counts) const;
    double steps_for(double tiles, double bytes, double readers, double bandwidth) const;
    Flow flow_of(OperandId operand, bool leaves) const;
    MemoryId memory_of(DeviceId d) const {
        return frame_.machine.devices[static_cast<std::size_t>(d)].memory;
    }
    double spread_rate() const;
    std::vector<LinkId> links_of(MemoryId memory, bool leaves_memory) const;

    const Plan& frame_;
    const std::span<const DeviceId> on_;
    const Problem& p_;
    const double least_piece_;
    double devices_ = 0, flops_ = 0, triangle_ = 1, element_ = 8;
    const index_t grain_;
    const bool odd_;          // the grain does not divide all sizes
    std::array<Flow, 3> in_;  // of A, B and the old C
    Flow out_;
    double room_ = 0;     // bytes of the first device, where they are known
    double both_ = 0;     // bytes a second that links of C move to and from its home at once
    bool peers_ = false;  // devices pass tiles on to each other
    mutable Plan one_;    // with the machine, for a single step
    mutable std::map<std::array<index_t, 3>, double> squares_;  // seconds that are known
};

}  // namespace gemmill
