// SPDX-License-Identifier: Apache-2.0
// Machines that plans are made for in tests: known ones, lines of text, and random sound ones.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "gemmill/machine.hpp"
#include "support/random.hpp"

namespace gemmill::test {

inline std::vector<Machine> known_machines() {
    std::vector<Machine> all;
    for (const std::string& name : catalogue_names()) all.push_back(load_machine(name));
    for (const char* line :
         {"gpu:1(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T)",
          "gpu:2(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T) pcie:10GB/s",
          "gpu:3(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T) pcie:20GB/s(shared=2)",
          "gpu:4(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T) nvlink:100GB/s pcie:10GB/s",
          "gpu:5(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T) nvswitch:100GB/s pcie:10GB/s"})
        all.push_back(synthetic_machine(line));
    return all;
}

inline const Machine& two_gpus() {
    static const Machine two =
        synthetic_machine("gpu:2(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=2T,b=2T) nvlink:50GB/s");
    return two;
}

/// Host and 1 to 5 devices, every one joined to the host; the rest by chance: links between devices
/// and within them, shared resources, unequal rates.
inline Machine random_machine(Random& random) {
    Machine m;
    const auto devices = static_cast<int>(random.between(1, 5));
    m.name = fmt::format("random{}", devices);
    m.issue = random.chance(50) ? 0 : 1e-6;
    m.call = random.chance(50) ? 0 : 1e-5;
    m.memories.push_back({"host", MemoryKind::host, 1 << 30, ""});
    const bool equal = random.chance(50);
    for (int d = 0; d < devices; ++d) {
        const std::string name = fmt::format("gpu{}", d);
        m.memories.push_back({name, MemoryKind::device, 1 << 28, ""});
        Device device;
        device.name = name;
        device.memory = d + 1;
        device.queues = static_cast<int>(random.between(1, 3));
        device.launch = random.chance(30) ? 0 : 1e-6;
        device.bandwidth = random.chance(30) ? 1e15 : 1e11;
        device.peak.fill(equal ? 1e11 : 1e10 * static_cast<double>(random.between(1, 9)));
        m.devices.push_back(device);
    }
    const auto resources = random.below(4);
    for (index_t r = 0; r < resources; ++r)
        m.resources.push_back(
            {fmt::format("r{}", r), 1e9 * static_cast<double>(random.between(1, 9)), ""});
    for (MemoryId from = 0; from <= devices; ++from)
        for (MemoryId to = 0; to <= devices; ++to) {
            const bool with_host = (from == 0) != (to == 0);
            if (!with_host && random.chance(40)) continue;
            Link link;
            link.from = from, link.to = to;
            link.bandwidth = 1e9 * static_cast<double>(random.between(1, 9));
            link.latency = random.chance(30) ? 0 : 1e-6;
            for (ResourceId r = 0; r < static_cast<ResourceId>(resources); ++r)
                if (random.chance(30)) link.resources.push_back(r);
            m.links.push_back(link);
        }
    return m;
}

}  // namespace gemmill::test
