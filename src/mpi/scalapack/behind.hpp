// SPDX-License-Identifier: Apache-2.0
// The ScaLAPACK behind the drop-in: the routines that it stands in front of, and its BLACS.
#pragma once

#include <mpi.h>

#include <string>

#include "gemmill/distribution.hpp"

namespace gemmill::scalapack {

/// The next definition of a name behind this library; nullptr when there is none.
void* behind(const char* name);

/// A BLACS context: its grid, and the communicator whose ranks count along the rows of the grid.
struct BlacsGrid {
    int rows = 0, cols = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    bool is_usable() const { return comm != MPI_COMM_NULL; }
};
/// Not usable where this process is not in the grid, or where the BLACS numbers it in another way.
BlacsGrid grid_of(int context);

/// Calls the routine behind with the same arguments; says so once where there is none.
template <class... P>
void pass_on(const char* name, P... arguments) {
    if (void* function = behind(name))
        reinterpret_cast<void (*)(P...)>(function)(arguments...);
    else
        throw std::string(name);
}

}  // namespace gemmill::scalapack
