// SPDX-License-Identifier: Apache-2.0
#include "gemm/host_blas.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace bench {
namespace {

using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                       double, double*, int);

Dgemm find_dgemm() {
    void* library = ::dlopen(GEMMILL_HOST_BLAS_PATH, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(::dlerror());
    return reinterpret_cast<Dgemm>(::dlsym(library, "cblas_dgemm"));
}

}  // namespace

void host_dgemm(const Square& s) {
    static const Dgemm dgemm = find_dgemm();
    constexpr int col_major = 102, no_trans = 111;
    dgemm(col_major, no_trans, no_trans, s.n, s.n, s.n, 1.1, s.a, s.n, s.b, s.n, 0.9, s.c, s.n);
}

}  // namespace bench
