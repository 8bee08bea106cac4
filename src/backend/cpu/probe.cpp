// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/probe.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "machine/load/assumed.hpp"

namespace gemmill {
namespace {

constexpr int most_devices = 256;

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Topology load_topology() {
    hwloc_topology_t raw = nullptr;
    require(hwloc_topology_init(&raw) == 0, Code::no_device, "hwloc", "hwloc does not start");
    Topology topology(raw, hwloc_topology_destroy);
    require(hwloc_topology_load(raw) == 0, Code::no_device, "hwloc",
            "hwloc cannot read this host's topology");
    return topology;
}

/// Cores of the process's CPU binding; hwloc has left out what a cgroup forbids.
int usable_cores(hwloc_topology_t topology) {
    const Bitmap bound(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)),
                       hwloc_bitmap_free);
    const Bitmap mine(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    if (hwloc_get_cpubind(topology, mine.get(), HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(mine.get(), bound.get()) != 0)
        hwloc_bitmap_and(bound.get(), bound.get(), mine.get());
    int cores = 0;
    for (hwloc_obj_t core = nullptr;
         (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;)
        cores += hwloc_bitmap_intersects(core->cpuset, bound.get());
    return std::max({cores, cores == 0 ? hwloc_bitmap_weight(bound.get()) : 0, 1});
}

/// A file of /proc or /sys, or nothing.
std::string text_of_file(const char* path) {
    try {
        return read_file(path);
    } catch (const Error&) {
        return {};
    }
}

double host_clock(std::string_view cpuinfo) {
    const std::string kilohertz =
        text_of_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    const double fastest = std::strtod(kilohertz.c_str(), nullptr) * 1e3;
    if (fastest > 0) return fastest;
    const double now = clock_of(cpuinfo);
    constexpr double slow = 2e9;  // no host of today is much slower
    return now > 0 ? now : slow;
}

/// Calls f(key, value) for each "key : value" line.
template <class F>
void each_line(std::string_view text, F f) {
    for (const std::string& line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::size_t end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
        f(line.substr(0, end == std::string::npos ? 0 : end + 1), line.substr(colon + 1));
    }
}

Link copy_link(MemoryId from, MemoryId to, double bandwidth) {
    return {.from = from,
            .to = to,
            .bandwidth = bandwidth,
            .latency = assumed_core().links.front().latency,
            .run_overhead = 0,
            .resources = {},
            .origin = assumed_core().links.front().origin};
}

void add_device(Machine& machine, const Machine& host, int number, int count) {
    const std::string name = fmt::format("cpu{}", number);
    machine.memories.push_back({name, MemoryKind::device,
                                std::max<std::int64_t>(1, host.memories[0].capacity / (count + 1)),
                                "an even share of host memory"});
    Device device = host.devices[0];
    device.name = name;
    device.memory = number + 1;
    device.bandwidth /= count;
    for (double& rate : device.peak) rate /= count;
    device.origin = fmt::format("one of {} equal shares: {}", count, device.origin);
    machine.devices.push_back(std::move(device));
}

}  // namespace

int flops_per_cycle(std::string_view cpuinfo) {
    bool avx512 = false, avx2 = false, fma = false;
    each_line(cpuinfo, [&](const std::string& key, const std::string& value) {
        if (key != "flags") return;
        for (const std::string& flag : split(value, ' ')) {
            avx512 |= flag == "avx512f";
            avx2 |= flag == "avx2";
            fma |= flag == "fma";
        }
    });
    return avx512 ? 32 : avx2 && fma ? 16 : 4;
}

double clock_of(std::string_view cpuinfo) {
    double hertz = 0;
    each_line(cpuinfo, [&](const std::string& key, const std::string& value) {
        if (key == "cpu MHz") hertz = std::max(hertz, std::strtod(value.c_str(), nullptr) * 1e6);
    });
    return hertz;
}

HostFacts host_facts() {
    const Topology topology = load_topology();
    const std::string cpuinfo = text_of_file("/proc/cpuinfo");
    HostFacts facts;
    facts.cores = usable_cores(topology.get());
    facts.hertz = host_clock(cpuinfo);
    facts.flops_per_cycle = flops_per_cycle(cpuinfo);
    // Nodes whose memory was plugged in later tell hwloc less than the system has.
    const auto nodes = static_cast<std::int64_t>(hwloc_get_root_obj(topology.get())->total_memory);
    const auto pages =
        static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    facts.memory = std::max({nodes, pages, assumed_core().memories.front().capacity});
    return facts;
}

Machine host_machine(const HostFacts& facts) {
    const double peak = facts.cores * facts.hertz * facts.flops_per_cycle;
    const Device& core = assumed_core().devices.front();
    const auto rate = [&](Type type) { return core.peak[static_cast<std::size_t>(type)]; };
    const double short_share = rate(Type::h) / rate(Type::s), of_short = short_share * 2 * peak;
    Device cpu{.name = "cpu",
               .memory = 0,
               .queues = 1,
               .launch = core.launch,
               .bandwidth = facts.cores * core.bandwidth,
               .peak = {2 * peak, peak, 2 * peak, peak, of_short, of_short},
               .rates = {},
               .chip = -1,
               .origin = fmt::format("{} cores x {:.4g} GHz x {} flops a cycle; h and b by "
                                     "converting to s: {:.0f} % of it; assumed: {:.4g} GB/s a "
                                     "core, launch",
                                     facts.cores, facts.hertz / 1e9, facts.flops_per_cycle,
                                     100 * short_share, core.bandwidth / 1e9)};
    Machine machine;
    machine.name = "host";
    machine.origin = "hwloc, /proc/cpuinfo and /sys of this host; issue and call are assumed";
    machine.issue = assumed_core().issue;
    machine.call = assumed_core().call;
    machine.memories.push_back({"host", MemoryKind::host, facts.memory, "hwloc and sysconf"});
    machine.links.push_back(copy_link(0, 0, cpu.bandwidth / 2));
    machine.devices.push_back(std::move(cpu));
    return machine;
}

Machine probe_host() { return host_machine(host_facts()); }

Machine cpu_machine(const Machine& host, int devices) {
    require(devices >= 1 && devices <= most_devices, Code::bad_argument, "1 <= devices <= 256",
            fmt::format("a CPU machine of {} devices", devices));
    require(!host.memories.empty() && !host.devices.empty(), Code::bad_argument,
            "a memory and a device", "the host machine is empty");
    Machine machine;
    machine.name = fmt::format("cpu:{}", devices);
    machine.origin = host.origin;
    machine.issue = host.issue;
    machine.call = host.call;
    machine.memories.push_back(host.memories[0]);
    const double bandwidth = host.devices[0].bandwidth;
    machine.resources.push_back({"memory", bandwidth, host.devices[0].origin});
    for (int i = 0; i < devices; ++i) add_device(machine, host, i, devices);
    for (MemoryId from = 0; from <= devices; ++from)
        for (MemoryId to = 0; to <= devices; ++to) {
            if (from == 0 && to == 0) continue;
            machine.links.push_back(copy_link(from, to, bandwidth / 2));
            machine.links.back().resources = {0};
        }
    return machine;
}

Machine cpu_machine(int devices) { return cpu_machine(probe_host(), devices); }

}  // namespace gemmill
