// SPDX-License-Identifier: Apache-2.0
#include "api/learn/contribution.hpp"

#include <fmt/format.h>

#include "machine/reach.hpp"

namespace gemmill {
namespace {

struct Flops {
    double all = 0, cpu = 0;
};

/// Nothing where there is no CPU beside other devices: most machines have none, and their plans
/// need not be looked at.
Flops flops_of_both(const Plan& plan) {
    const auto devices = static_cast<DeviceId>(plan.machine.devices.size());
    DeviceId cpus = 0;
    for (DeviceId d = 0; d < devices; ++d) cpus += is_host_device(plan.machine, d) ? 1 : 0;
    if (cpus == 0 || cpus == devices) return {};
    const Statistics s = statistics(plan);
    Flops flops{s.flops, 0};
    for (DeviceId d = 0; d < devices; ++d)
        if (is_host_device(plan.machine, d))
            flops.cpu += s.device_flops[static_cast<std::size_t>(d)];
    return flops;
}

}  // namespace

double cpu_part(const Plan& plan) {
    const Flops flops = flops_of_both(plan);
    return flops.all > 0 ? flops.cpu / flops.all : 0;
}

void Contribution::add(const Plan& plan) {
    const Flops flops = flops_of_both(plan);
    all_ += flops.all;
    cpu_ += flops.cpu;
}

std::string Contribution::text() const {
    if (all_ == 0) return "";
    return fmt::format("the CPU made {:.1f} % of what devices computed", 100 * part());
}

}  // namespace gemmill
