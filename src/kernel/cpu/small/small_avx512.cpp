// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernel/cpu/small/small_kernels.hpp"

namespace gemmill {
namespace {

struct Set {
    static unsigned mask(index_t left) { return (1U << left) - 1; }
    [[gnu::always_inline]] static __m512d first(const double* from, index_t left) {
        return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask(left)), from);
    }
    [[gnu::always_inline]] static __m512 first(const float* from, index_t left) {
        return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask(left)), from);
    }
    [[gnu::always_inline]] static void put_first(double* to, index_t left, __m512d x) {
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask(left)), x);
    }
    [[gnu::always_inline]] static void put_first(float* to, index_t left, __m512 x) {
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask(left)), x);
    }
};

}  // namespace

const SmallKernels small_avx512 = small_kernels<Set, 64>("avx512");

}  // namespace gemmill
