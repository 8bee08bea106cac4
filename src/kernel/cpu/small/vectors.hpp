// SPDX-License-Identifier: Apache-2.0
// Vectors of `bytes` bytes as the kernels of small products use them; what a `Set` is, says
// small_kernels.hpp.
#pragma once

#include <utility>

#include "gemmill/types.hpp"

namespace gemmill {

template <class Set, class R, int bytes, bool complex>
struct SmallVectors {
    typedef R Vector __attribute__((vector_size(bytes)));
    typedef R Loose __attribute__((vector_size(bytes), aligned(sizeof(R)), may_alias));
    static constexpr int lanes = bytes / static_cast<int>(sizeof(R));
    /// Those of a product: by the real and by the imaginary part of B.
    static constexpr int sums = complex ? 2 : 1;

    template <int mr, int nr>
    [[gnu::always_inline]] static void prefetch(const R* c, index_t ld) {
#pragma GCC unroll 8
        for (int q = 0; q < nr; ++q)
#pragma GCC unroll 4
            for (int v = 0; v < mr; ++v) __builtin_prefetch(c + q * ld + v * lanes, 1);
    }

    // What takes a vector is inlined: functions that pass them on leave the upper halves of
    // registers in use, and then every SSE instruction of our caller is slow.

    /// (p, q, ...) as (-q, p, ...): times i. Lane by lane, compilers take it apart.
    template <int... at>
    [[gnu::always_inline]] static Vector turned(Vector x, std::integer_sequence<int, at...>) {
        constexpr Vector signs{(at % 2 == 0 ? R(-1) : R(1))...};
        return __builtin_shufflevector(x, x, (at ^ 1)...) * signs;
    }
    [[gnu::always_inline]] static Vector turned(Vector x) {
        return turned(x, std::make_integer_sequence<int, lanes>());
    }
    [[gnu::always_inline]] static Vector joined(Vector by_re, Vector by_im, bool conj_b) {
        return conj_b ? by_re - turned(by_im) : by_re + turned(by_im);
    }
    [[gnu::always_inline]] static Vector times(const R (&factor)[2], Vector x) {
        if constexpr (complex)
            return x * factor[0] + turned(x) * factor[1];
        else
            return x * factor[0];
    }
    /// The old C times beta, of which 1 multiplies nothing: infinities stay.
    [[gnu::always_inline]] static Vector scaled(const R (&beta)[2], Vector x) {
        return complex && beta[0] == 1 && beta[1] == 0 ? x : times(beta, x);
    }

    /// `left` lanes when it is `some`, else all.
    template <bool partial>
    [[gnu::always_inline]] static Vector load(const R* from, bool some, index_t left) {
        if constexpr (partial)
            if (some) return Set::first(from, left);
        return *reinterpret_cast<const Loose*>(from);
    }
    template <bool partial>
    [[gnu::always_inline]] static void store(R* to, bool some, index_t left, Vector x) {
        if (partial && some)
            Set::put_first(to, left, x);
        else
            *reinterpret_cast<Loose*>(to) = x;
    }
};

}  // namespace gemmill
