// SPDX-License-Identifier: Apache-2.0
// Measures the host in about a second.
#pragma once

#include "gemmill/machine.hpp"

namespace gemmill::command {

/// The probed host with the measured rates of dgemm, sgemm and memcpy in place of the computed
/// ones; the origins say so.
Machine calibrated(Machine host, int cores);

}  // namespace gemmill::command
