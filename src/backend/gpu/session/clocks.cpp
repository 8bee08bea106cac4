// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/clocks.hpp"

namespace gemmill {

Clocks::~Clocks() {
    for (const auto& [device, mark] : marks_)
        if (mark.event != nullptr) events_.give(device, mark.event);
}

void Clocks::start(int device) {
    const auto [found, added] = marks_.try_emplace(device);
    if (!added) return;
    Mark& mark = found->second;
    require_ok(driver_, events_.take(device, &mark.event), "open an event");
    mark.time = now();
    require_ok(driver_, driver_.record(mark.event, lanes_.clock_of(device)), "start the clock");
}

double Clocks::now() const { return std::chrono::duration<double>(Steady::now() - begin_).count(); }

double Clocks::time_of(int device, GpuEvent* event) {
    Mark& mark = marks_.at(device);
    if (!mark.happened) driver_.synchronize(mark.event);
    mark.happened = true;
    double seconds = 0;
    driver_.elapsed(mark.event, event, &seconds);
    return mark.time + seconds;
}

}  // namespace gemmill
