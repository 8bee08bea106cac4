// SPDX-License-Identifier: Apache-2.0
// From the arguments of PBLAS to a call on ranks.
#pragma once

#include <functional>

#include "gemmill/dist.hpp"
#include "gemmill/error.hpp"
#include "mpi/scalapack/behind.hpp"

#define GEMMILL_SCALAPACK_EXPORT extern "C" __attribute__((visibility("default")))

namespace gemmill::scalapack {

/// A matrix argument as PBLAS has it: indices count from 1.
template <class T>
struct Argument {
    T* data;
    const int *row, *col;
    const int* descriptor;
};

/// Fields of a descriptor. Throws Error(bad_argument) for one of a kind that is not known, or whose
/// first blocks have no elements.
struct Descriptor {
    int context = -1;
    BlockCyclic layout;
    index_t ld = 1;
};
Descriptor read_descriptor(const int* descriptor, const BlacsGrid& grid);
/// Its context; -1 for one of a kind that is not known.
int context_of(const int* descriptor);

/// Throws Error(bad_argument) where a size is negative, which part() takes for all that is left.
template <class T>
DistMatrix<T> matrix_of(const Argument<T>& x, const BlacsGrid& grid, index_t rows, index_t cols) {
    require(rows >= 0 && cols >= 0, Code::bad_argument, "sizes >= 0", "m, n or k");
    const Descriptor descriptor = read_descriptor(x.descriptor, grid);
    return dist_matrix(descriptor.layout, x.data, descriptor.ld)
        .part(*x.row - 1, *x.col - 1, rows, cols);
}

/// A flag from its letter, of either case.
template <class Flag>
Flag flag(const char* letter) {
    return static_cast<Flag>(*letter & ~0x20);
}
bool is_one_of(const char* letter, const char* letters);

/// A call: done on ranks, or handed to the routine behind: small ones, those whose arguments are
/// wrong (it says which, as PBLAS does), and those that the ranks have no memory for.
struct Request {
    double flops = 0;
    bool good_flags = true;
    int context = -1;
    bool one_context = true;
    std::function<void(Ranks&, const BlacsGrid&)> run;
    std::function<void()> pass_on;
};
void submit(const char* name, const Request& request) noexcept;

}  // namespace gemmill::scalapack
