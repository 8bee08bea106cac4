// SPDX-License-Identifier: Apache-2.0
// Threads and address space for the host BLAS, which does not check for itself.
#pragma once

namespace gemmill {

/// OpenBLAS takes a buffer of this many bytes for each of its threads and for each that calls it
/// (0.3.21 for x86-64: 128 MiB), beside which a thread has a stack.
inline constexpr long host_buffer = (128L + 8) << 20;

/// As many threads of the host BLAS, up to `wanted`, as there is address space for (ulimit -v):
/// OpenBLAS waits without end for a buffer that it cannot get. One that calls is counted in.
int host_threads_with_room(int wanted);

/// As many as can be made (ulimit -u), the calling one counted in: OpenBLAS ends the process with
/// SIGINT where one cannot. They live for a moment, all at a time.
int host_threads_to_be_had(int wanted);

/// One call of the host BLAS. Where address space is limited, calls take turns, and one for which
/// there can be no buffer is not `granted`.
class HostTurn {
  public:
    HostTurn();
    ~HostTurn();
    HostTurn(const HostTurn&) = delete;
    HostTurn& operator=(const HostTurn&) = delete;
    bool granted() const { return granted_; }

  private:
    bool granted_ = true;
};

}  // namespace gemmill
