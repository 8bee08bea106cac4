// SPDX-License-Identifier: Apache-2.0
// When events of several devices happened, on one clock that starts with a run.
#pragma once

#include <chrono>
#include <map>

#include "backend/gpu/resources.hpp"

namespace gemmill {

class Clocks {
  public:
    Clocks(const GpuDriver& driver, EventPool& events, Lanes& lanes)
        : driver_(driver), events_(events), lanes_(lanes) {}
    ~Clocks();
    Clocks(const Clocks&) = delete;
    Clocks& operator=(const Clocks&) = delete;

    /// Marks the present in the device's own time, unless that was done. Throws Error.
    void start(int device);
    /// When this was made.
    std::chrono::steady_clock::time_point begin() const { return begin_; }
    /// Seconds since then.
    double now() const;
    /// The same of an event that has happened on a device.
    double time_of(int device, GpuEvent* event);

  private:
    struct Mark {
        GpuEvent* event = nullptr;
        double time = 0;
        bool happened = false;
    };
    using Steady = std::chrono::steady_clock;

    const GpuDriver& driver_;
    EventPool& events_;
    Lanes& lanes_;
    const Steady::time_point begin_ = Steady::now();
    std::map<int, Mark> marks_;
};

}  // namespace gemmill
