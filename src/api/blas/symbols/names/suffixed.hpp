// SPDX-License-Identifier: Apache-2.0
// dgemm_64_, dgemm64_, cblas_dgemm64_ and cblas_dgemm_64 with integers of 64 bits.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"

using Int = std::int64_t;
constexpr auto family = gemmill::blas::Family::suffixed;

#define GEMMILL_FORTRAN(name) name##_64_
#define GEMMILL_FORTRAN_ALIASES(name) GEMMILL_BLAS_ALIAS(name##64_, name##_64_)
#define GEMMILL_CBLAS(name) cblas_##name##64_
#define GEMMILL_CBLAS_ALIASES(name) GEMMILL_BLAS_ALIAS(cblas_##name##_64, cblas_##name##64_)
