// SPDX-License-Identifier: Apache-2.0
// dgemm_, dgemm and cblas_dgemm with integers of 64 bits, as in Debian's libblas64.so.3.
#pragma once

#include <cstdint>

#include "api/blas/family.hpp"

using Int = std::int64_t;
constexpr auto family = gemmill::blas::Family::wide;

#define GEMMILL_FORTRAN(name) name##_
#define GEMMILL_FORTRAN_ALIASES(name) GEMMILL_BLAS_ALIAS(name, name##_)
#define GEMMILL_CBLAS(name) cblas_##name
#define GEMMILL_CBLAS_ALIASES(name)
