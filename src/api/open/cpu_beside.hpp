// SPDX-License-Identifier: Apache-2.0
// The CPU as a device beside GPUs: what it reaches there.
#pragma once

#include <vector>

#include "backend/joined/measure.hpp"
#include "gemmill/machine.hpp"

namespace gemmill {

/// The CPU of a machine beside GPUs: its own device, or that of this host. The chip says what is
/// left of it where operands must be packed by `packers` of its cores.
struct CpuBeside {
    Device device;
    Chip chip;
};
CpuBeside cpu_beside(const Machine& node, int cores, int packers);

/// As it is measured now, by `threads` threads: what a machine file or the clock says is what other
/// numbers of cores reach, of products of another shape. Other types are taken to be off as far.
/// The chip says what is left where a part has few lines.
void fit_to_measured(CpuBeside& cpu, const NarrowProducts& products,
                     const std::vector<double>& rates, int threads);

}  // namespace gemmill
