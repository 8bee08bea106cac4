// SPDX-License-Identifier: Apache-2.0
// Plain loops: slow, obvious, and the judge of everything else.
#pragma once

#include "kernel/kernel.hpp"

namespace gemmill {

void reference_gemm(const GemmArgs& args);
void reference_add(const AddArgs& args);
Kernels reference_kernels();

}  // namespace gemmill
