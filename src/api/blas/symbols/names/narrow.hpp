// SPDX-License-Identifier: Apache-2.0
// dgemm_, dgemm and cblas_dgemm with integers of 32 bits.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"

using Int = std::int32_t;
constexpr auto family = gemmill::blas::Family::narrow;

#define GEMMILL_FORTRAN(name) name##_
#define GEMMILL_FORTRAN_ALIASES(name) GEMMILL_BLAS_ALIAS(name, name##_)
#define GEMMILL_CBLAS(name) cblas_##name
#define GEMMILL_CBLAS_ALIASES(name)
