// SPDX-License-Identifier: Apache-2.0
// Who is told of bad arguments: xerbla_ of the program, or of the library that called, under the
// name that the family of names has for it. The drop-in exports none of its own, which would come
// before theirs where it is preloaded.
//
// `routine` is "dgemm" or "cblas_dgemm", `caller` an address in who called. A handler may throw, or
// never come back.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"
#include "gemmill/types.hpp"

namespace gemmill::blas {

/// Calls the xerbla_ that a BLAS would find: that of the program or of what it is linked with, else
/// that of the library which called, or of what that one needs. False: there is none.
GEMMILL_API bool tell_xerbla(Family family, const char* routine, int position, const void* caller);

/// The same with cblas_xerbla, but not the default one of a BLAS: that ends the program, and not
/// every BLAS calls its own.
GEMMILL_API bool tell_cblas_xerbla(Family family, const char* routine, int position,
                                   const void* caller);

/// The line that is said where nobody is there to be told; "dgemm" is called "DGEMM " in it.
GEMMILL_API void say_bad_argument(const char* routine, int position);

}  // namespace gemmill::blas
