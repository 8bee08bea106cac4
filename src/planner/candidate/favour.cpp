// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/favour.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "planner/candidate/rough.hpp"
#include "planner/split/decompose.hpp"

namespace gemmill {

double favour_of(const Candidate& c) {
    return c.choice.shares.empty() ? 1 : std::ranges::max(c.choice.shares);
}

bool favour(const Draft& frame, Candidate& c, double share) {
    const DeviceId device = favoured_device(frame, c.choice.devices);
    if (device < 0 || c.choice.devices.size() < 2 || share < 1.05 || c.choice.strips.slices > 1)
        return false;
    const double rate = rate_of(frame.machine, frame.problem, device);
    const double rounded = std::round(share * 100) / 100;
    std::vector<double> shares;
    for (const DeviceId d : c.choice.devices)
        shares.push_back((d == device ? rounded : 1) * rate_of(frame.machine, frame.problem, d) /
                         rate);
    const bool new_shares = std::exchange(c.choice.shares, shares) != shares;
    if (c.choice.grid.rows == 1 || c.choice.grid.cols == 1) return new_shares;
    c.choice.grid = strip_grid(frame.problem, c.choice.devices.size());
    return true;
}

Grid strip_grid(const Problem& problem, std::size_t devices) {
    const auto count = static_cast<index_t>(devices);
    return count <= problem.n ? Grid{1, count} : best_grid(problem, count);
}

}  // namespace gemmill
