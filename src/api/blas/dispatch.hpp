// SPDX-License-Identifier: Apache-2.0
// Where the calls of a program go that was linked with, or started under, the BLAS symbols: small
// ones straight to the host BLAS, and those that can profit to a Context that the first of them
// opens. Options come from the environment only.
#pragma once

#include "api/blas/family.hpp"
#include "gemmill/types.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::blas {

/// Runs a call. Any number of threads may call. What devices cannot do, the host does; when a
/// device fails after C was spoilt for that, the program ends with a line that says so.
/// Instead, the position of the first bad argument in netlib's order when there is one. A row-major
/// call becomes the column-major one which does the same, and the position is one in that; it is
/// not copied for it, which would take as long as the rest of what is done here.
GEMMILL_API int submit(Family family, Layout layout, Level3Args& call) noexcept;

/// Called when the symbols are loaded: from then on a fork is noticed, whose child leaves devices
/// that its parent used alone, and a program that asks for a report is told if no call came.
GEMMILL_API void begin();

}  // namespace gemmill::blas
