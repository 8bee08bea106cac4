// SPDX-License-Identifier: Apache-2.0
#include "mpi/scalapack/behind.hpp"

#include <dlfcn.h>

namespace gemmill::scalapack {
namespace {

/// A function of the BLACS, in whatever library of the process it is.
template <class F>
F* blacs(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

/// What Cblacs_get is asked for: the handle of the communicator of a context.
constexpr int what_handle = 10;

}  // namespace

void* behind(const char* name) { return dlsym(RTLD_NEXT, name); }

BlacsGrid grid_of(int context) {
    static const auto gridinfo = blacs<void(int, int*, int*, int*, int*)>("Cblacs_gridinfo");
    static const auto get = blacs<void(int, int, int*)>("Cblacs_get");
    static const auto handle = blacs<MPI_Comm(int)>("Cblacs2sys_handle");
    BlacsGrid grid;
    if (gridinfo == nullptr || get == nullptr || handle == nullptr) return grid;
    int row = -1, col = -1;
    gridinfo(context, &grid.rows, &grid.cols, &row, &col);
    if (row < 0 || col < 0) return grid;
    int number = 0;
    get(context, what_handle, &number);
    const MPI_Comm comm = handle(number);
    int rank = -1, size = 0;
    if (comm == MPI_COMM_NULL) return grid;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == row * grid.cols + col && size == grid.rows * grid.cols) grid.comm = comm;
    return grid;
}

}  // namespace gemmill::scalapack
