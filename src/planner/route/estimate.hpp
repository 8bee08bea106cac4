// SPDX-License-Identifier: Apache-2.0
// What the planner believes about time while it makes a plan: when each link is free, when each
// tile arrives where, when each device is free. Cheap and rough; the model has the last word.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "planner/draft.hpp"

namespace gemmill {

class Estimate {
  public:
    static constexpr double never = std::numeric_limits<double>::infinity();

    explicit Estimate(const Machine& machine);

    /// When a tile is in a memory: 0 where it lives, `never` where it was not sent.
    double arrival(TileId tile, MemoryId memory) const {
        const auto& list = arrivals_[static_cast<std::size_t>(memory)];
        const auto t = static_cast<std::size_t>(tile);
        return t < list.size() ? list[t] : never;
    }
    void set_arrival(TileId tile, MemoryId memory, double time) {
        auto& list = arrivals_[static_cast<std::size_t>(memory)];
        const auto t = static_cast<std::size_t>(tile);
        if (t >= list.size()) list.resize(t + 64, never);
        list[t] = time;
    }

    /// When a transfer that is ready at `ready` would end; books nothing.
    double end_of(LinkId link, double bytes, double ready) const;
    /// Books it and returns its end.
    double book(LinkId link, double bytes, double ready);

    double link_free(LinkId link) const { return link_free_[static_cast<std::size_t>(link)]; }
    double device_free(DeviceId device) const {
        return device_free_[static_cast<std::size_t>(device)];
    }
    /// Books a kernel and returns its end.
    double compute(DeviceId device, double seconds, double ready) {
        double& free = device_free_[static_cast<std::size_t>(device)];
        return free = std::max(free, ready) + seconds;
    }

  private:
    const Machine& machine_;
    std::vector<double> link_free_, resource_free_, device_free_;
    std::vector<std::vector<double>> arrivals_;  // by memory, then tile
};

}  // namespace gemmill
