// SPDX-License-Identifier: Apache-2.0
// The host BLAS, opened by path at run time so that nothing that is loaded later can stand in its
// place.
#pragma once

#include <string>

#include "kernel/kernel.hpp"

namespace gemmill {

/// Opens the library on first use: `path`, or when it is empty the OpenBLAS found at build time,
/// or libopenblas.so.0. The first path that was opened stays.
/// Throws Error(no_device) when there is none, and when it is a build of OpenBLAS without threads,
/// which gives wrong results when two threads call it.
void open_host_blas(const std::string& path);
/// What was opened: "OpenBLAS 0.3.21 ... MAX_THREADS=64", or the path.
std::string host_blas_name();
/// Threads that one call uses; 0: unknown.
int host_blas_threads();

/// Both need open_host_blas() before. Products of 16-bit types are made by sgemm, see by_float.hpp.
void host_gemm(const GemmArgs& args);
void host_add(const AddArgs& args);
Kernels host_kernels();

}  // namespace gemmill
