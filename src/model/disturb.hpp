// SPDX-License-Identifier: Apache-2.0
// Disturbances of a machine in words.
#pragma once

#include <string_view>

#include "model/engine.hpp"

namespace gemmill {

/// "gpu3 rate 0.5", "gpu3 rate 0.5 from 10ms to 20ms", "host->gpu1 rate 0.3 from 0s",
/// "gpu2 stops at 15ms". Throws Error(parse).
Disturbance parse_disturbance(const Machine& machine, std::string_view text);

}  // namespace gemmill
