// SPDX-License-Identifier: Apache-2.0
// Measures the host in less than two seconds.
#pragma once

#include "gemmill/machine.hpp"

namespace gemmill::command {

/// The probed host with the measured rates of dgemm, sgemm, hgemm, bgemm and memcpy in place of the
/// computed ones; the origins say so.
Machine calibrated(Machine host, int cores);

}  // namespace gemmill::command
