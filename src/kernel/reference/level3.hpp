// SPDX-License-Identifier: Apache-2.0
// Plain loops of the other routines of level 3.
#pragma once

#include "kernel/kernel.hpp"

namespace gemmill {

/// Reads and writes exactly what BLAS says: only the named triangles, no diagonal that is one, no
/// C where beta is zero, no A and B where alpha or k is. Of a hermitian matrix the diagonal is
/// real. With alpha or k of zero and beta one nothing is touched.
void reference_level3(const Level3Args& args);

}  // namespace gemmill
