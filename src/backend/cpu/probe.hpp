// SPDX-License-Identifier: Apache-2.0
// The host as a machine: what the operating system says of it, and CPU devices made out of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "gemmill/machine.hpp"

namespace gemmill {

/// What is known of the host.
struct HostFacts {
    int cores = 1;            ///< that this process may use
    double hertz = 0;         ///< clock of one core
    int flops_per_cycle = 4;  ///< double precision, of one core
    std::int64_t memory = 0;  ///< bytes
    bool operator==(const HostFacts&) const = default;
};

/// Double-precision flops a cycle of one core, by the instruction sets that /proc/cpuinfo names:
/// 32 with AVX-512, 16 with AVX2 and FMA, else 4.
int flops_per_cycle(std::string_view cpuinfo);
/// The highest "cpu MHz" of /proc/cpuinfo in Hz; 0 when it names none.
double clock_of(std::string_view cpuinfo);

/// Reads them from hwloc, /proc and /sys. Throws Error(no_device) when hwloc cannot be asked.
HostFacts host_facts();

/// One host memory and one device "cpu" that computes in it.
Machine host_machine(const HostFacts& facts);
Machine probe_host();

/// `devices` devices cpu0, cpu1, ... that share the cores of `host` and have memory of their own;
/// what moves between memories shares the resource "memory". Throws Error(bad_argument).
Machine cpu_machine(const Machine& host, int devices);
Machine cpu_machine(int devices);

}  // namespace gemmill
