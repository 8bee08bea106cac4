// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "kernel/cpu/small/small_kernels.hpp"

namespace gemmill {
namespace {

/// Read from the middle: ones, then zeros.
alignas(64) constexpr long long ones_d[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
alignas(64) constexpr int ones_s[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

struct Set {
    [[gnu::always_inline]] static __m256i mask(const double*, index_t left) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ones_d + 4 - left));
    }
    [[gnu::always_inline]] static __m256i mask(const float*, index_t left) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ones_s + 8 - left));
    }
    [[gnu::always_inline]] static __m256d first(const double* from, index_t left) {
        return _mm256_maskload_pd(from, mask(from, left));
    }
    [[gnu::always_inline]] static __m256 first(const float* from, index_t left) {
        return _mm256_maskload_ps(from, mask(from, left));
    }
    [[gnu::always_inline]] static void put_first(double* to, index_t left, __m256d x) {
        _mm256_maskstore_pd(to, mask(to, left), x);
    }
    [[gnu::always_inline]] static void put_first(float* to, index_t left, __m256 x) {
        _mm256_maskstore_ps(to, mask(to, left), x);
    }
};

}  // namespace

const SmallKernels small_avx2 = small_kernels<Set, 32>("avx2");

}  // namespace gemmill
