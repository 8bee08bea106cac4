// SPDX-License-Identifier: Apache-2.0
// Who is timed in a bench, and what the clock said.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "command/stopwatch.hpp"

namespace gemmill::command {

enum class Who : std::uint8_t {
    ours,
    plain,  ///< ours on the GPU in one piece and without a cap
    xt,     ///< cuBLASXt
    copy_all,
    in_core,
};

/// The calls of one contender in one case.
struct Timing {
    Who who = Who::ours;
    int block = 0;                     ///< of cuBLASXt
    std::vector<double> samples = {};  ///< seconds of each call; the first call is not among them
    double error = 0;                  ///< of the first call: 1 or less is right
    std::string fault = {};            ///< why it did not run

    bool right() const { return error <= 1; }
    /// The median; NaN when it did not run.
    double seconds() const;
};
/// "cuBLASXt 2048".
std::string name_of(const Timing& timing);

nlohmann::ordered_json to_json(const Timing& timing);

/// The fastest of its kind; NaN when none ran.
double fastest(const std::vector<Timing>& timings, Who who);
/// Whether the first ran, and all that ran was right.
bool all_right(const std::vector<Timing>& timings);

struct Contender {
    Timing timing;
    std::function<void()> call;
};
/// One timed call, after a rest; an Error in it is the contender's fault.
void take_sample(Contender& contender);
/// The faster of two calls, back to back, after a rest: the first finds cores and clocks asleep.
void take_warm_sample(Contender& contender);

template <class F>
double seconds_of(const F& f) {
    const Stopwatch watch;
    f();
    return watch.seconds();
}

/// The mean of the two in the middle when there are two; NaN when there is none.
double median(std::vector<double> values);

/// Host seconds of a call on a small matrix that lies on the GPU.
struct CallTime {
    double ours = 0, in_core = 0;
    double beyond() const { return ours - in_core; }
};
/// Medians of so many calls of each, in turn.
CallTime time_calls(const std::function<void()>& ours, const std::function<void()>& in_core,
                    int calls);

}  // namespace gemmill::command
