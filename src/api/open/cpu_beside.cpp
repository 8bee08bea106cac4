// SPDX-License-Identifier: Apache-2.0
#include "api/open/cpu_beside.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backend/cpu/probe.hpp"
#include "machine/reach.hpp"
#include "model/cost.hpp"

namespace gemmill {

CpuBeside cpu_beside(const Machine& node, int cores, int packers) {
    DeviceId own = 0;
    while (own < std::ssize(node.devices) && !is_host_device(node, own)) ++own;
    const bool has_own = own < std::ssize(node.devices);
    CpuBeside made;
    made.device =
        has_own ? node.devices[static_cast<std::size_t>(own)] : probe_host().devices.front();
    made.device.name = "cpu";
    made.chip.name = "cpu-beside-gpus";
    made.chip.origin = fmt::format("{} of {} cores pack what is not pinned", packers, cores);
    const double left = static_cast<double>(std::max(1, cores - packers)) / cores;
    made.chip.efficiencies.push_back({"packing", "sdczhb", {1}, {1}, {left}});
    return made;
}

void fit_to_measured(CpuBeside& cpu, const NarrowProducts& products,
                     const std::vector<double>& rates, int threads) {
    Device& device = cpu.device;
    if (device.peak[static_cast<std::size_t>(Type::d)] <= 0) return;
    std::vector<double> edges, parts, giga;  // parts of what the device says of the same product
    for (std::size_t i = 0; i < rates.size(); ++i) {
        edges.push_back(static_cast<double>(products.lines[i]));
        const double said = kernel_rate(device, Type::d, static_cast<double>(products.m),
                                        edges.back(), static_cast<double>(products.k));
        parts.push_back(rates[i] / said);
        giga.push_back(rates[i] / 1e9);
    }
    const double whole = parts.back();
    for (double& part : parts) part /= whole;
    for (double& peak : device.peak) peak *= whole;
    for (Rates& of : device.rates)
        for (double& flops : of.flops) flops *= whole;
    device.origin = fmt::format(
        "measured: dgemm of {} rows, k = {}, by {} threads: {:.0f} GFLOP/s with {} columns; other "
        "types in proportion; {}",
        products.m, products.k, threads, fmt::join(giga, ", "), fmt::join(products.lines, ", "),
        device.origin);
    cpu.chip.efficiencies.push_back({"narrow", "sdczhb", edges, {1}, parts});
}

}  // namespace gemmill
