// SPDX-License-Identifier: Apache-2.0
// Every routine of level 3, once. ROW(family, letter, name, routine, T, A, B): elements are T,
// alpha is of type A and beta of type B; routines of a family have the same list of arguments.
#pragma once

#define GEMMILL_BLAS_FOUR(ROW, family, name, routine)                                            \
    ROW(family, s, name, routine, float, float, float)                                           \
    ROW(family, d, name, routine, double, double, double)                                        \
    ROW(family, c, name, routine, std::complex<float>, std::complex<float>, std::complex<float>) \
    ROW(family, z, name, routine, std::complex<double>, std::complex<double>, std::complex<double>)

#define GEMMILL_BLAS_TABLE(ROW)                                                                \
    GEMMILL_BLAS_FOUR(ROW, gemm, gemm, gemm)                                                   \
    GEMMILL_BLAS_FOUR(ROW, gemmt, gemmt, gemmt)                                                \
    GEMMILL_BLAS_FOUR(ROW, gemmt, gemmtr, gemmt) /* as netlib calls it */                      \
    GEMMILL_BLAS_FOUR(ROW, symm, symm, symm)                                                   \
    ROW(symm, c, hemm, hemm, std::complex<float>, std::complex<float>, std::complex<float>)    \
    ROW(symm, z, hemm, hemm, std::complex<double>, std::complex<double>, std::complex<double>) \
    GEMMILL_BLAS_FOUR(ROW, syrk, syrk, syrk)                                                   \
    ROW(syrk, c, herk, herk, std::complex<float>, float, float)                                \
    ROW(syrk, z, herk, herk, std::complex<double>, double, double)                             \
    GEMMILL_BLAS_FOUR(ROW, syr2k, syr2k, syr2k)                                                \
    ROW(syr2k, c, her2k, her2k, std::complex<float>, std::complex<float>, float)               \
    ROW(syr2k, z, her2k, her2k, std::complex<double>, std::complex<double>, double)            \
    GEMMILL_BLAS_FOUR(ROW, trmm, trmm, trmm)                                                   \
    GEMMILL_BLAS_FOUR(ROW, trmm, trsm, trsm)
