// SPDX-License-Identifier: Apache-2.0
// How much of a call the CPU gets beside GPUs under policy dynamic, learnt from call to call, for
// each class of problems: routine, type, homes, and flops to a factor of 2.
//
// CALDGEMM's filter: with r the old part of the GPUs, g and c what GPUs and CPU reached,
//     r' = (r + g / (c + g)) / 2
// Its c is scaled by the time that the CPU had; here both have all of the call.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

/// What both did in a call.
struct SharedRun {
    double cpu_flops = 0, cpu_seconds = 0;  ///< and how long the CPU computed
    double gpu_flops = 0, gpu_seconds = 0;  ///< and when the last of the GPUs' steps ended
    double seconds = 0;                     ///< of the call
};
SharedRun shared_run(const Plan& plan, const Timeline& timeline, double seconds);

/// Several threads may use it.
class CpuRatios {
  public:
    /// Of the flops of the next call, for the CPU (ScheduleOptions::cpu_part): by its rate where
    /// nothing is known. The second call of a class is the GPUs' alone. Then whoever was faster
    /// goes on, and the other is tried again from time to time; also a CPU that had nothing because
    /// it is thought to be slow.
    double part_for(const Problem& problem);
    void note(const Problem& problem, const SharedRun& run);

  private:
    /// Calls after which the slower way is tried again for the first time.
    static constexpr int first_wait = 16;
    using Class = std::tuple<Routine, Type, std::array<MemoryId, 3>, int>;
    struct Known {
        double part = -1;             // of the CPU; negative: it never had one
        double joint = 0, alone = 0;  // seconds a flop, of late; 0: not measured
        int calls = 0;
        int since = 0, wait = first_wait;  // calls since the slower way was tried, and before

        bool pays() const { return joint < alone; }
        bool probes() const { return since >= wait; }
        void probed(bool paid);
        void note_nothing();
    };
    static Class class_of(const Problem& problem);

    std::mutex mutex_;
    std::map<Class, Known> known_;
};

}  // namespace gemmill
