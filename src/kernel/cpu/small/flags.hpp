// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gemmill {

/// Whether this CPU, and its system, have an instruction set by its name in /proc/cpuinfo: "avx2".
bool cpu_has(const char* flag);

}  // namespace gemmill
