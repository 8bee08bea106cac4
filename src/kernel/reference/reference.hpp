// SPDX-License-Identifier: Apache-2.0
// Plain loops: slow, obvious, and the judge of everything else. Sums are of type scalar_t<T>,
// so those of 16-bit types are floats that are rounded once.
#pragma once

#include "kernel/kernel.hpp"

namespace gemmill {

void reference_gemm(const GemmArgs& args);
void reference_add(const AddArgs& args);
void reference_mirror(const MirrorArgs& args);
Kernels reference_kernels();

}  // namespace gemmill
