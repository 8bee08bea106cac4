// SPDX-License-Identifier: Apache-2.0
// What the drop-in says to people.
#pragma once

#include <string>
#include <string_view>

#include "gemmill/types.hpp"

namespace gemmill::blas {

/// One line on standard error.
GEMMILL_API void say(std::string_view text) noexcept;

/// Lines for where the option `report` says: standard error, or the end of a file.
void say_to(const std::string& report, std::string_view text);

/// Ends the program, with a line that says why: for a call that a device failed in the middle of,
/// whose matrix is spoilt. BLAS has no way to report that, and to go on would be worse.
[[noreturn]] void end_program(std::string_view text) noexcept;

}  // namespace gemmill::blas
