// SPDX-License-Identifier: Apache-2.0
// scipy_dgemm_64_ and scipy_cblas_dgemm64_ with integers of 64 bits: OpenBLAS in wheels of numpy.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"

using Int = std::int64_t;
constexpr auto family = gemmill::blas::Family::wheel_wide;

#define GEMMILL_FORTRAN(name) scipy_##name##_64_
#define GEMMILL_FORTRAN_ALIASES(name)
#define GEMMILL_CBLAS(name) scipy_cblas_##name##64_
#define GEMMILL_CBLAS_ALIASES(name)
