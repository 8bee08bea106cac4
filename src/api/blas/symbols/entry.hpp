// SPDX-License-Identifier: Apache-2.0
// What the Fortran and the C symbols share. Compiled once for each family of names.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "api/blas/dispatch.hpp"
#include "api/blas/handler.hpp"
#include "api/check/arguments.hpp"
#include "kernel/kernel.hpp"

#define GEMMILL_BLAS_EXPORT extern "C" __attribute__((visibility("default")))
/// Another name of a function.
#define GEMMILL_BLAS_ALIAS(name, function) \
    extern "C" __attribute__((visibility("default"), alias(#function))) decltype(function) name;
// The names of the family, and Int, the integers that it takes.
#include GEMMILL_BLAS_NAMES

// netlib's CBLAS tells its handler of bad arguments by these that positions are of a row-major
// call, and that it was a C function.
extern "C" {
extern int RowMajorStrg;
extern int CBLAS_CallFromC;
}

namespace gemmill::blas {

template <class T>
Level3Args start(Routine routine) {
    Level3Args x;
    x.routine = routine;
    x.type = type_of<T>;
    return x;
}

/// alpha or beta that comes by its address, which is not looked at where there is nothing to do:
/// such a call may have none. The sizes are in x by then.
template <class A>
A read(const Level3Args& x, const void* address) {
    return x.m > 0 && x.n > 0 ? *static_cast<const A*>(address) : A(0);
}

template <class A>
void set_a(Level3Args& x, const A& alpha, const void* a, Int lda) {
    x.alpha = to_scalar(alpha);
    x.a = a, x.lda = lda;
}
inline void set_b(Level3Args& x, const void* b, Int ldb) { x.b = b, x.ldb = ldb; }
template <class B>
void set_c(Level3Args& x, const B& beta, void* c, Int ldc) {
    x.beta = to_scalar(beta);
    x.c = c, x.ldc = ldc;
}

inline void set_product(Level3Args& x, Op op_a, Op op_b, Int m, Int n, Int k) {
    x.op_a = op_a, x.op_b = op_b;
    x.m = m, x.n = n, x.k = k;
}
inline void set_sided(Level3Args& x, Side side, Uplo uplo, Int m, Int n) {
    x.side = side, x.uplo = uplo;
    x.m = m, x.n = n;
    x.k = side == Side::Left ? m : n;
}
inline void set_update(Level3Args& x, Uplo uplo, Op op, Int n, Int k) {
    x.uplo = uplo;
    x.op_a = op == Op::ConjTrans && !is_complex(x.type) ? Op::Trans : op;
    x.m = x.n = n;
    x.k = k;
}
inline void set_triangular(Level3Args& x, Op op, Diag diag) { x.op_a = op, x.diag = diag; }

}  // namespace gemmill::blas
