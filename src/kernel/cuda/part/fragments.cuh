// SPDX-License-Identifier: Apache-2.0
// What a lane holds of A, B and C for the FP64 tensor cores: of `rows` x 8 elements of C, and
// `depth` of k at a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/cuda/part/product.cuh"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

/// Sums and fragments of reals.
template <class Number, int rows, int depth>
struct Fragments {
    static constexpr int halves = rows / 8, steps = depth / 4;
    struct A {
        double x[steps][halves];
        __device__ void set(int s, int h, double v, bool) { x[s][h] = v; }
    };
    struct B {
        double x[steps];
        __device__ void set(int s, double v, bool) { x[s] = v; }
    };
    struct C {
        double x[halves][2] = {};
        __device__ double get(int h, int e) const { return x[h][e]; }
    };
    __device__ static double zero() { return 0; }
    __device__ static void multiply(C& c, const A& a, const B& b) {
        mma<rows, depth>(c.x, a.x, b.x);
    }
};

/// -x if asked, by its sign bit: the units of doubles are busy with products.
__device__ inline double flipped(double x, bool flip) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    std::uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    bits ^= flip ? sign : 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// A complex B, as real and imaginary parts.
template <int steps>
struct ComplexFragment {
    double re[steps], im[steps];
    __device__ void set(int s, cuDoubleComplex v, bool conj) {
        re[s] = v.x;
        im[s] = flipped(v.y, conj);
    }
};

/// Of complex numbers: four products of reals.
template <int rows, int depth>
struct Fragments<cuDoubleComplex, rows, depth> {
    static constexpr int halves = rows / 8, steps = depth / 4;
    struct A {
        double re[steps][halves], im[steps][halves], minus[steps][halves];
        __device__ void set(int s, int h, cuDoubleComplex v, bool conj) {
            re[s][h] = v.x;
            im[s][h] = flipped(v.y, conj);
            minus[s][h] = -im[s][h];
        }
    };
    using B = ComplexFragment<steps>;
    struct C {
        double re[halves][2] = {}, im[halves][2] = {};
        __device__ cuDoubleComplex get(int h, int e) const { return {re[h][e], im[h][e]}; }
    };
    __device__ static cuDoubleComplex zero() { return {0, 0}; }
    __device__ static void multiply(C& c, const A& a, const B& b) {
        mma<rows, depth>(c.re, a.re, b.re);
        mma<rows, depth>(c.re, a.minus, b.im);
        mma<rows, depth>(c.im, a.re, b.im);
        mma<rows, depth>(c.im, a.im, b.re);
    }
};

/// With wide instructions, whose rows are the real parts of eight rows of A and then the imaginary
/// ones: as a lane reads them. Sums with the real and the imaginary parts of B become one in the
/// end. So registers need not be put in order between reads and products.
template <>
struct Fragments<cuDoubleComplex, 8, 8> {
    static constexpr int parts = 2, steps = 2;
    struct A {
        double x[steps][parts];
        __device__ void set(int s, int, cuDoubleComplex v, bool conj) {
            x[s][0] = v.x;
            x[s][1] = flipped(v.y, conj);
        }
    };
    using B = ComplexFragment<steps>;
    struct C {
        double by_re[parts][2] = {}, by_im[parts][2] = {};
        __device__ cuDoubleComplex get(int, int e) const {
            return {by_re[0][e] - by_im[1][e], by_re[1][e] + by_im[0][e]};
        }
    };
    __device__ static cuDoubleComplex zero() { return {0, 0}; }
    __device__ static void multiply(C& c, const A& a, const B& b) {
        mma<16, 8>(c.by_re, a.x, b.re);
        mma<16, 8>(c.by_im, a.x, b.im);
    }
};

}  // namespace gemmill::batch
