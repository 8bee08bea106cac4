// SPDX-License-Identifier: Apache-2.0
// Kernels by the host BLAS. They need open_host_blas() before.
#pragma once

#include "kernel/cpu/host/host_library.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Products of 16-bit types are made by sgemm, see by_float.hpp.
void host_gemm(const GemmArgs& args);
/// By a library of the caller's; those of 16-bit types as above.
void host_gemm(const GemmArgs& args, const HostLibrary& library);
void host_add(const AddArgs& args);
void host_mirror(const MirrorArgs& args);
Kernels host_kernels();

}  // namespace gemmill
