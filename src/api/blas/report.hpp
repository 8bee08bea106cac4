// SPDX-License-Identifier: Apache-2.0
// What was called, for the report at exit.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/kernel.hpp"

namespace gemmill::blas {

enum class CallPlace : std::uint8_t { host, devices };

/// Counts a call; several threads may.
void note(const Level3Args& call, CallPlace place, double seconds) noexcept;
/// Forgets all; safe in the child of a fork.
void forget() noexcept;
/// Calls that were counted.
std::int64_t calls_noted() noexcept;
/// The report, "" when nothing was called. `setting`: lines on the host BLAS and the devices.
std::string report_text(const std::string& setting);
/// Makes what report_text() needs, so that it is still there at exit.
void prepare_report();

// At the end of a program. What goes wrong is said, and no more.

/// Puts the report, if there is anything to tell, where the option `report` says.
void write_report(const std::string& to, const std::string& setting) noexcept;
/// Says that no call came, and why, if the options ask for a report.
void write_no_calls() noexcept;

}  // namespace gemmill::blas
