// SPDX-License-Identifier: Apache-2.0
// A program's own handlers of bad arguments are seen from a library only if the program's linker
// finds that somebody refers to them. None is defined here: under LD_PRELOAD it would come first.
#include "api/blas/symbols/entry.hpp"

extern "C" {
__attribute__((weak)) void GEMMILL_FORTRAN(xerbla)();
__attribute__((weak)) void GEMMILL_CBLAS(xerbla)();
}
__attribute__((used)) static void (*const handlers[])() = {&GEMMILL_FORTRAN(xerbla),
                                                           &GEMMILL_CBLAS(xerbla)};
