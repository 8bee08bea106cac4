// SPDX-License-Identifier: Apache-2.0
// Every routine of level 3, once. ROW(family, letter, routine, T, A, B): elements are T, alpha is
// of type A and beta of type B; routines of a family have the same list of arguments.
#pragma once

#define GEMMILL_BLAS_FOUR(ROW, family, routine)                                            \
    ROW(family, s, routine, float, float, float)                                           \
    ROW(family, d, routine, double, double, double)                                        \
    ROW(family, c, routine, std::complex<float>, std::complex<float>, std::complex<float>) \
    ROW(family, z, routine, std::complex<double>, std::complex<double>, std::complex<double>)

#define GEMMILL_BLAS_TABLE(ROW)                                                          \
    GEMMILL_BLAS_FOUR(ROW, gemm, gemm)                                                   \
    GEMMILL_BLAS_FOUR(ROW, gemmt, gemmt)                                                 \
    GEMMILL_BLAS_FOUR(ROW, symm, symm)                                                   \
    ROW(symm, c, hemm, std::complex<float>, std::complex<float>, std::complex<float>)    \
    ROW(symm, z, hemm, std::complex<double>, std::complex<double>, std::complex<double>) \
    GEMMILL_BLAS_FOUR(ROW, syrk, syrk)                                                   \
    ROW(syrk, c, herk, std::complex<float>, float, float)                                \
    ROW(syrk, z, herk, std::complex<double>, double, double)                             \
    GEMMILL_BLAS_FOUR(ROW, syr2k, syr2k)                                                 \
    ROW(syr2k, c, her2k, std::complex<float>, std::complex<float>, float)                \
    ROW(syr2k, z, her2k, std::complex<double>, std::complex<double>, double)             \
    GEMMILL_BLAS_FOUR(ROW, trmm, trmm)                                                   \
    GEMMILL_BLAS_FOUR(ROW, trmm, trsm)
