// SPDX-License-Identifier: Apache-2.0
// What was called, for the report at exit.
#pragma once

#include <string>

#include "kernel/kernel.hpp"

namespace gemmill::blas {

enum class Place : std::uint8_t { host, devices };

/// Counts a call; several threads may.
void note(const Level3Args& call, Place place, double seconds) noexcept;
/// Forgets all; safe in the child of a fork.
void forget() noexcept;
/// The report, "" when nothing was called. `setting` tells of the host BLAS and of the devices.
std::string report_text(const std::string& setting);
/// Makes what report_text() needs, so that it is still there at exit.
void prepare_report();

}  // namespace gemmill::blas
