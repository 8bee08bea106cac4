// SPDX-License-Identifier: Apache-2.0
// What runs under mpirun is a program of its own beside this command, so that the command needs no
// MPI.
#pragma once

#include <string>

namespace gemmill::command {

/// Whether the arguments ask for ranks: gemm with --grid, bench pdgemm.
bool is_for_ranks(int argc, char** argv);
/// Becomes that program. Returns an exit code, with a message, only when it is not there.
int become_ranks_program(char** argv);

}  // namespace gemmill::command
