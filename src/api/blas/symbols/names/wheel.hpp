// SPDX-License-Identifier: Apache-2.0
// scipy_dgemm_ and scipy_cblas_dgemm with integers of 32 bits: OpenBLAS in wheels of scipy.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"

using Int = std::int32_t;
constexpr auto family = gemmill::blas::Family::wheel;

#define GEMMILL_FORTRAN(name) scipy_##name##_
#define GEMMILL_FORTRAN_ALIASES(name)
#define GEMMILL_CBLAS(name) scipy_cblas_##name
#define GEMMILL_CBLAS_ALIASES(name)
