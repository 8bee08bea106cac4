// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the four types of level 3 on a GPU.
#pragma once

#include <cuComplex.h>

#include "gemmill/types.hpp"

namespace gemmill {

__device__ inline float sum(float a, float b) { return a + b; }
__device__ inline double sum(double a, double b) { return a + b; }
__device__ inline cuFloatComplex sum(cuFloatComplex a, cuFloatComplex b) { return cuCaddf(a, b); }
__device__ inline cuDoubleComplex sum(cuDoubleComplex a, cuDoubleComplex b) { return cuCadd(a, b); }

__device__ inline float times(float a, float b) { return a * b; }
__device__ inline double times(double a, double b) { return a * b; }
__device__ inline cuFloatComplex times(cuFloatComplex a, cuFloatComplex b) { return cuCmulf(a, b); }
__device__ inline cuDoubleComplex times(cuDoubleComplex a, cuDoubleComplex b) {
    return cuCmul(a, b);
}

/// beta times an element of C; 1 multiplies nothing, so that infinities stay where they are.
__device__ inline float scaled(float beta, float x) { return beta * x; }
__device__ inline double scaled(double beta, double x) { return beta * x; }
__device__ inline cuFloatComplex scaled(cuFloatComplex beta, cuFloatComplex x) {
    return beta.x == 1 && beta.y == 0 ? x : times(beta, x);
}
__device__ inline cuDoubleComplex scaled(cuDoubleComplex beta, cuDoubleComplex x) {
    return beta.x == 1 && beta.y == 0 ? x : times(beta, x);
}

/// The same where beta has no imaginary part, as in herk: each part of x alone.
__device__ inline float times_real(float beta, float x) { return beta * x; }
__device__ inline double times_real(double beta, double x) { return beta * x; }
__device__ inline cuFloatComplex times_real(cuFloatComplex beta, cuFloatComplex x) {
    return make_cuFloatComplex(beta.x * x.x, beta.x * x.y);
}
__device__ inline cuDoubleComplex times_real(cuDoubleComplex beta, cuDoubleComplex x) {
    return make_cuDoubleComplex(beta.x * x.x, beta.x * x.y);
}

__device__ inline float conjugate(float x) { return x; }
__device__ inline double conjugate(double x) { return x; }
__device__ inline cuFloatComplex conjugate(cuFloatComplex x) { return cuConjf(x); }
__device__ inline cuDoubleComplex conjugate(cuDoubleComplex x) { return cuConj(x); }

__device__ inline float real_part(float x) { return x; }
__device__ inline double real_part(double x) { return x; }
__device__ inline cuFloatComplex real_part(cuFloatComplex x) { return make_cuFloatComplex(x.x, 0); }
__device__ inline cuDoubleComplex real_part(cuDoubleComplex x) {
    return make_cuDoubleComplex(x.x, 0);
}

template <class T>
__device__ T one() {
    return 1;
}
template <>
__device__ inline cuFloatComplex one() {
    return make_cuFloatComplex(1, 0);
}
template <>
__device__ inline cuDoubleComplex one() {
    return make_cuDoubleComplex(1, 0);
}

/// f<T>() with the T of a type of level 3.
template <class F>
auto with_number(Type type, F f) {
    switch (type) {
        case Type::s:
            return f.template operator()<float>();
        case Type::c:
            return f.template operator()<cuFloatComplex>();
        case Type::z:
            return f.template operator()<cuDoubleComplex>();
        default:
            return f.template operator()<double>();
    }
}

}  // namespace gemmill
