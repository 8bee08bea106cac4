// SPDX-License-Identifier: Apache-2.0
// Where the calls of a program go that was linked with, or started under, the BLAS symbols: small
// ones straight to the host BLAS, and those that can profit to a Context that the first of them
// opens. Options come from the environment only.
#pragma once

#include <string_view>

#include "gemmill/types.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::blas {

/// Runs a call. Any number of threads may call. What devices cannot do, the host does; when C is
/// spoilt for that, the exception leaves, and the program ends with its text.
/// Instead, the position of the first bad argument in netlib's order when there is one. A row-major
/// call becomes the column-major one which does the same, and the position is one in that; it is
/// not copied for it, which would take as long as the rest of what is done here.
GEMMILL_API int submit(Layout layout, Level3Args& call);

/// Called once when the symbols are loaded: from then on a fork is noticed. Its child leaves
/// devices that its parent used alone. `wide`: the program's integers have 64 bits.
GEMMILL_API void begin(bool wide);

/// One line on standard error.
GEMMILL_API void say(std::string_view text);

}  // namespace gemmill::blas
