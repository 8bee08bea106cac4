// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/cpu/host/host_library.hpp"
#include "kernel/cpu/thin/thin.hpp"

namespace gemmill {

/// Makes a product with a short k in the place of a library that would make it in the calling
/// thread, and slower (thin_pays). False: nothing was done. Only OpenBLAS says how many threads it
/// has, and only it is known to be slower.
inline bool made_thin(const GemmArgs& g, const HostLibrary& library) {
    constexpr int measured = 32;  // bytes of a vector
    if (library.threads == nullptr || library.threads() != 1) return false;
    const SmallKernels& kernels = *small_kernel_sets().front();
    return kernels.bytes >= measured && thin_gemm(g, kernels);
}

}  // namespace gemmill
