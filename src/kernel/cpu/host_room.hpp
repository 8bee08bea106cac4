// SPDX-License-Identifier: Apache-2.0
// Address space for the host BLAS.
#pragma once

namespace gemmill {

/// OpenBLAS takes a buffer of this many bytes for each of its threads and for each that calls it
/// (0.3.21 for x86-64: 128 MiB), beside which a thread has a stack.
inline constexpr long host_buffer = (128L + 8) << 20;

/// As many threads of the host BLAS, up to `wanted`, as there is address space for (ulimit -v):
/// OpenBLAS waits without end for a buffer that it cannot get. One that calls is counted in.
int host_threads_with_room(int wanted);

}  // namespace gemmill
