// SPDX-License-Identifier: Apache-2.0
// The peer: the host BLAS called directly.
#pragma once

#include <cstdint>

namespace bench {

struct Square {
    int n;
    const double *a, *b;
    double* c;
};

/// C = 1.1 A B + 0.9 C by cblas_dgemm of the library that Gemmill uses. Throws when it is not
/// there.
void host_dgemm(const Square& s);

}  // namespace bench
