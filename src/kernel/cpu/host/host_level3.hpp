// SPDX-License-Identifier: Apache-2.0
// Level 3 by the host BLAS.
#pragma once

#include "kernel/cpu/host/host_library.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// Any routine of level 3, gemm too, with sizes of 64 bits. Needs open_host_blas() before. gemmt,
/// which few libraries have, is made of products: blocks beside the diagonal in place, those on it
/// in a temporary.
void host_level3(const Level3Args& args);
/// By a library of the caller's. What it lacks is left to plain loops.
void host_level3(const Level3Args& args, const HostLibrary& library);

}  // namespace gemmill
