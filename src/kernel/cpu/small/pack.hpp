// SPDX-License-Identifier: Apache-2.0
// Where factors of small products are packed, and how they are turned.
#pragma once

#include <algorithm>
#include <complex>
#include <memory>
#include <new>
#include <type_traits>

#include "kernel/cpu/small/small.hpp"

namespace gemmill {

template <class S>
struct RealOf {
    using type = S;
};
template <class R>
struct RealOf<std::complex<R>> {
    using type = R;
};

/// Memory that a thread keeps from one product to the next.
template <class R>
class PackRoom {
  public:
    R* get(index_t count) {
        R* const memory = try_get(count);
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
    /// nullptr: there is none.
    R* try_get(index_t count) noexcept {
        if (count > size_) {
            const auto bytes = static_cast<std::size_t>(count) * sizeof(R);
            void* const more = ::operator new (bytes, std::align_val_t{64}, std::nothrow);
            if (more == nullptr) return nullptr;
            memory_.reset(static_cast<R*>(more));
            size_ = count;
        }
        return memory_.get();
    }

  private:
    struct Free {
        void operator()(R* p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    std::unique_ptr<R, Free> memory_;
    index_t size_ = 0;
};

template <class T>
T conjugated(T x, bool conj) {
    if constexpr (is_complex(type_of<T>)) return conj ? std::conj(x) : x;
    return x;
}

/// Blocks of `edge` x `edge` by vector instructions that every x86-64 has.
template <class T>
struct Transposer {
    static constexpr index_t edge = 1;
    static void run(const T* from, index_t, T* to, index_t, bool conj) {
        *to = conjugated(*from, conj);
    }
};
/// Complex floats are moved as doubles are, and their signs turned as floats.
template <>
struct Transposer<std::complex<float>> {
    static constexpr index_t edge = 2;
    typedef double V __attribute__((vector_size(16), aligned(4), may_alias));
    typedef float F __attribute__((vector_size(16), aligned(4), may_alias));
    static void run(const std::complex<float>* from, index_t ld, std::complex<float>* to,
                    index_t ld_to, bool conj) {
        const V x = *reinterpret_cast<const V*>(from), y = *reinterpret_cast<const V*>(from + ld);
        const F sign = conj ? F{1, -1, 1, -1} : F{1, 1, 1, 1};
        const auto put = [&](std::complex<float>* at, V value) {
            *reinterpret_cast<F*>(at) = reinterpret_cast<F&>(value) * sign;
        };
        put(to, __builtin_shufflevector(x, y, 0, 2));
        put(to + ld_to, __builtin_shufflevector(x, y, 1, 3));
    }
};
template <>
struct Transposer<float> {
    static constexpr index_t edge = 4;
    typedef float V __attribute__((vector_size(16), aligned(4), may_alias));
    static void run(const float* from, index_t ld, float* to, index_t ld_to, bool) {
        const auto row = [&](index_t i) { return *reinterpret_cast<const V*>(from + i * ld); };
        const auto put = [&](index_t i, V x) { *reinterpret_cast<V*>(to + i * ld_to) = x; };
        const V a = row(0), b = row(1), c = row(2), d = row(3);
        const V ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const V ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        put(0, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
        put(1, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
        put(2, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
        put(3, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
    }
};

/// to(p, q) = from(q, p), m x k and without gaps.
template <class T>
void pack_turned(const SmallKernels& kernels, const T* from, index_t ld, index_t m, index_t k,
                 bool conj, T* to) {
    if constexpr (std::is_same_v<T, double>) return kernels.turn_d(from, ld, m, k, to);
    constexpr index_t edge = Transposer<T>::edge;
    const index_t whole_m = edge > 1 ? m / edge * edge : 0, whole_k = k / edge * edge;
    for (index_t p = 0; p < whole_m; p += edge) {
        for (index_t q = 0; q < whole_k; q += edge)
            Transposer<T>::run(from + q + p * ld, ld, to + p + q * m, m, conj);
        for (index_t q = whole_k; q < k; ++q)
            for (index_t e = 0; e < edge; ++e)
                to[p + e + q * m] = conjugated(from[q + (p + e) * ld], conj);
    }
    for (index_t p = whole_m; p < m; ++p)
        for (index_t q = 0; q < k; ++q) to[p + q * m] = conjugated(from[q + p * ld], conj);
}

/// The same without turning it.
template <class T>
void pack_copied(const T* from, index_t ld, index_t m, index_t k, T* to) {
    for (index_t q = 0; q < k; ++q) std::copy_n(from + q * ld, m, to + q * m);
}

}  // namespace gemmill
