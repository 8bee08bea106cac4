// SPDX-License-Identifier: Apache-2.0
// One product of a batch as a kernel sees it, and the arithmetic of the element types.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gemmill/batch.hpp"

namespace gemmill::batch {

/// What sums of T are in, and how T is read and written. Times and add are in that type.
template <class T>
struct Number {
    using Sum = T;
    __device__ static Sum load(T x) { return x; }
    __device__ static T store(Sum x) { return x; }
    __device__ static Sum factor(Scalar s) { return static_cast<T>(s.re); }
    __device__ static Sum conj(Sum x) { return x; }
    __device__ static void add(Sum& sum, Sum a, Sum b) { sum += a * b; }
    __device__ static Sum times(Sum a, Sum b) { return a * b; }
    /// The old C times beta, of which 1 multiplies nothing.
    __device__ static Sum scaled(Sum beta, Sum x) { return beta * x; }
    __device__ static Sum plus(Sum a, Sum b) { return a + b; }
    __device__ static bool is_zero(Sum x) { return x == 0; }
};
template <class T>
struct ShortNumber : Number<float> {
    __device__ static float load(T x) { return static_cast<float>(x); }
    __device__ static T store(float x) { return T(x); }
};
template <>
struct Number<__half> : ShortNumber<__half> {};
template <>
struct Number<__nv_bfloat16> : ShortNumber<__nv_bfloat16> {};

template <class T, class R>
struct ComplexNumber {
    using Sum = T;
    __device__ static Sum load(T x) { return x; }
    __device__ static T store(Sum x) { return x; }
    __device__ static Sum factor(Scalar s) { return {static_cast<R>(s.re), static_cast<R>(s.im)}; }
    __device__ static Sum conj(Sum x) { return {x.x, -x.y}; }
    __device__ static void add(Sum& sum, Sum a, Sum b) {
        sum.x += a.x * b.x;
        sum.x -= a.y * b.y;
        sum.y += a.x * b.y;
        sum.y += a.y * b.x;
    }
    __device__ static Sum times(Sum f, Sum x) {
        return {f.x * x.x - f.y * x.y, f.x * x.y + f.y * x.x};
    }
    __device__ static Sum scaled(Sum beta, Sum x) {
        return beta.x == 1 && beta.y == 0 ? x : times(beta, x);
    }
    __device__ static Sum plus(Sum a, Sum b) { return {a.x + b.x, a.y + b.y}; }
    __device__ static bool is_zero(Sum x) { return x.x == 0 && x.y == 0; }
};
template <>
struct Number<cuFloatComplex> : ComplexNumber<cuFloatComplex, float> {};
template <>
struct Number<cuDoubleComplex> : ComplexNumber<cuDoubleComplex, double> {};

/// What tensor cores multiply: doubles stand in for all shorter types, exactly.
template <class T>
struct Wide {
    using Number = double;
    __device__ static double load(T x) { return static_cast<double>(batch::Number<T>::load(x)); }
    __device__ static T store(double x) {
        return batch::Number<T>::store(static_cast<typename batch::Number<T>::Sum>(x));
    }
};
template <>
struct Wide<cuFloatComplex> {
    using Number = cuDoubleComplex;
    __device__ static cuDoubleComplex load(cuFloatComplex x) { return {x.x, x.y}; }
    __device__ static cuFloatComplex store(cuDoubleComplex x) {
        return {static_cast<float>(x.x), static_cast<float>(x.y)};
    }
};
template <>
struct Wide<cuDoubleComplex> {
    using Number = cuDoubleComplex;
    __device__ static cuDoubleComplex load(cuDoubleComplex x) { return x; }
    __device__ static cuDoubleComplex store(cuDoubleComplex x) { return x; }
};

/// Element (i, l) of op(A) is a[i * a_row + l * a_col], and of op(B) b[l * b_row + j * b_col]. A k
/// of 0 stands also for an alpha of 0.
template <class T>
struct Product {
    using Sum = typename Number<T>::Sum;

    int m, n, k;
    const T* a;
    const T* b;
    T* c;
    index_t a_row, a_col, b_row, b_col, ldc;
    bool conj_a, conj_b, trans_a, trans_b;
    Sum alpha, beta;

    /// What becomes of an element of C whose sum is known. C is not read when beta is 0.
    __device__ void finish(T& out, Sum sum) const {
        using N = Number<T>;
        Sum value = k > 0 ? N::times(alpha, sum) : Sum{};
        if (!N::is_zero(beta)) value = N::plus(value, N::scaled(beta, N::load(out)));
        out = N::store(value);
    }
};

template <class V>
__device__ V value_of(const PerProduct<V>& x, index_t p) {
    return x.each != nullptr ? x.each[p] : x.all;
}

template <class T>
__device__ typename Number<T>::Sum factor_of(const BatchFactor& x, index_t p) {
    if (x.each != nullptr) return static_cast<const typename Number<T>::Sum*>(x.each)[p];
    return Number<T>::factor(x.all);
}

template <class T>
__device__ T* matrix_of(const BatchMatrix& x, index_t p) {
    if (x.array != nullptr) return static_cast<T*>(const_cast<void*>(x.array[p]));
    return static_cast<T*>(const_cast<void*>(x.data)) + p * x.stride;
}

/// Whether all products have one shape, and alpha and beta, is known to the kernel.
enum class Shapes { one, many };

/// All arrays of the batch are where the device can read them.
template <class T, Shapes shapes>
__device__ Product<T> product_of(const Batch& x, index_t p) {
    const auto value = [&](const auto& of) {
        return shapes == Shapes::one ? of.all : value_of(of, p);
    };
    const auto factor = [&](const BatchFactor& of) {
        return shapes == Shapes::one ? Number<T>::factor(of.all) : factor_of<T>(of, p);
    };
    Product<T> r;
    r.m = static_cast<int>(value(x.m));
    r.n = static_cast<int>(value(x.n));
    r.alpha = factor(x.alpha);
    r.beta = factor(x.beta);
    r.k = Number<T>::is_zero(r.alpha) ? 0 : static_cast<int>(value(x.k));
    const Op op_a = value(x.op_a), op_b = value(x.op_b);
    const index_t lda = value(x.a.ld), ldb = value(x.b.ld);
    r.a_row = op_a == Op::NoTrans ? 1 : lda;
    r.a_col = op_a == Op::NoTrans ? lda : 1;
    r.b_row = op_b == Op::NoTrans ? 1 : ldb;
    r.b_col = op_b == Op::NoTrans ? ldb : 1;
    r.conj_a = op_a == Op::ConjTrans;
    r.conj_b = op_b == Op::ConjTrans;
    r.trans_a = op_a != Op::NoTrans;
    r.trans_b = op_b != Op::NoTrans;
    r.ldc = value(x.c.ld);
    r.a = matrix_of<const T>(x.a, p);
    r.b = matrix_of<const T>(x.b, p);
    r.c = matrix_of<T>(x.c, p);
    return r;
}

/// Where a thread makes a product, the number of this one's.
__device__ inline index_t own_product() {
    return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Number w of the tiles of a batch.
struct TileOf {
    index_t product;
    int row, col;
};

}  // namespace gemmill::batch
