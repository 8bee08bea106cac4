// SPDX-License-Identifier: Apache-2.0
// Problem + Machine + Options -> Plan.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

/// A plan that was made and costed on the way to the best one.
struct Tried {
    std::string what;
    double seconds = 0;  ///< predicted; at least so many where it was given up
    std::size_t steps = 0;
    bool strips = false;  ///< a gemm in strips
};

/// A plan that is made elsewhere: by the scheduler, which planners do not see. Nothing when no plan
/// fits.
struct Offer {
    std::optional<Plan> plan;
    double made = 0;  ///< steps that were planned for it, those of other trials as well
};
/// What may be done for it: about so many steps may be planned, and plans that take longer than
/// `seconds` are of no use. Policies for which a plan is made anyway may take `most` steps for it.
struct Allowance {
    double steps = 0;
    double seconds = std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool predicted = true;  ///< else the seconds of the plan are about what it takes
};
/// The frame has the machine, operands, goal, devices and limits.
using Elsewhere = std::function<Offer(const Plan& frame, const Problem& problem,
                                      const Options& options, const Allowance& allowance)>;

/// Does work beside the caller; what it returns waits for the end of it.
using Aside = std::function<std::function<void()>(std::function<void()> work)>;

/// What planners have of others; each may be missing.
struct Help {
    Elsewhere elsewhere;
    Aside aside;  ///< missing: the work is done when its end is waited for
};

/// A plan for the problem on the machine, with its prediction. Devices, policy, tile and memory cap
/// come from the options. Throws Error(bad_argument) for what cannot be meant and
/// Error(out_of_memory) when the cap holds not even the smallest tiles.
/// With `tried` every plan that was considered is noted there. With `help.elsewhere` policy dynamic
/// can be had, and is a candidate of best. The plan does not depend on `help.aside`.
Plan make_plan(const Problem& problem, const Machine& machine, const Options& options,
               std::vector<Tried>* tried = nullptr, const Help& help = {});

/// The devices that text such as "auto", "all", "0,2,4-6" or "gpu0,gpu3" names.
std::vector<DeviceId> parse_devices(const Machine& machine, const std::string& text);

}  // namespace gemmill
