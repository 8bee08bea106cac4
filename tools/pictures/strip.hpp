// SPDX-License-Identifier: Apache-2.0
// A timeline small enough for a terminal.
#pragma once

#include <string>

#include "gemmill/plan.hpp"

namespace gemmill::command {

/// One row a device: on the left how busy it is with kernels, on the right how busy the links from
/// the host to it are. A full block is busy all the time that its column stands for.
std::string draw_strip(const Plan& plan, const Timeline& timeline);

}  // namespace gemmill::command
