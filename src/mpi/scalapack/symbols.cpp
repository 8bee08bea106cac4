// SPDX-License-Identifier: Apache-2.0
// pdgemm_ and its like.
#include "mpi/scalapack/entry.hpp"

using namespace gemmill;
using namespace gemmill::scalapack;

namespace {

double flops_of(Type type, double m, double n, double k) { return flops_per_fma(type) * m * n * k; }

/// The contexts of all matrices are the first one's.
template <class... D>
bool is_one_context(const int* first, const D*... others) {
    return ((context_of(first) == context_of(others)) && ...);
}

}  // namespace

#define PBLAS_ARGUMENT(T, x, X) T *x, const int *i##x, const int *j##x, const int *desc##x
#define PBLAS_NAMES(x) x, i##x, j##x, desc##x

#define PBLAS_GEMM(T, p)                                                                         \
    GEMMILL_SCALAPACK_EXPORT void p##gemm_(const char* op_a, const char* op_b, const int* m,     \
                                           const int* n, const int* k, const T* alpha,           \
                                           PBLAS_ARGUMENT(T, a, A), PBLAS_ARGUMENT(T, b, B),     \
                                           const T* beta, PBLAS_ARGUMENT(T, c, C)) {             \
        const auto run = [&](Ranks& ranks, const BlacsGrid& grid) {                              \
            const bool na = flag<Op>(op_a) == Op::NoTrans, nb = flag<Op>(op_b) == Op::NoTrans;   \
            gemm<T>(ranks, flag<Op>(op_a), flag<Op>(op_b), *alpha,                               \
                    matrix_of<T>({PBLAS_NAMES(a)}, grid, na ? *m : *k, na ? *k : *m),            \
                    matrix_of<T>({PBLAS_NAMES(b)}, grid, nb ? *k : *n, nb ? *n : *k), *beta,     \
                    matrix_of<T>({PBLAS_NAMES(c)}, grid, *m, *n));                               \
        };                                                                                       \
        submit(#p "gemm_", {flops_of(type_of<T>, *m, *n, *k),                                    \
                            is_one_of(op_a, "NTC") && is_one_of(op_b, "NTC"), context_of(descc), \
                            is_one_context(descc, desca, descb), run, [&] {                      \
                                pass_on(#p "gemm_", op_a, op_b, m, n, k, alpha, PBLAS_NAMES(a),  \
                                        PBLAS_NAMES(b), beta, PBLAS_NAMES(c));                   \
                            }});                                                                 \
    }

#define PBLAS_SYMM(T, p, routine)                                                                 \
    GEMMILL_SCALAPACK_EXPORT void p##routine##_(const char* side, const char* uplo, const int* m, \
                                                const int* n, const T* alpha,                     \
                                                PBLAS_ARGUMENT(T, a, A), PBLAS_ARGUMENT(T, b, B), \
                                                const T* beta, PBLAS_ARGUMENT(T, c, C)) {         \
        const int k = is_one_of(side, "L") ? *m : *n;                                             \
        const auto run = [&](Ranks& ranks, const BlacsGrid& grid) {                               \
            routine<T>(ranks, flag<Side>(side), flag<Uplo>(uplo), *alpha,                         \
                       matrix_of<T>({PBLAS_NAMES(a)}, grid, k, k),                                \
                       matrix_of<T>({PBLAS_NAMES(b)}, grid, *m, *n), *beta,                       \
                       matrix_of<T>({PBLAS_NAMES(c)}, grid, *m, *n));                             \
        };                                                                                        \
        submit(#p #routine "_",                                                                   \
               {flops_of(type_of<T>, *m, *n, k), is_one_of(side, "LR") && is_one_of(uplo, "LU"),  \
                context_of(descc), is_one_context(descc, desca, descb), run, [&] {                \
                    pass_on(#p #routine "_", side, uplo, m, n, alpha, PBLAS_NAMES(a),             \
                            PBLAS_NAMES(b), beta, PBLAS_NAMES(c));                                \
                }});                                                                              \
    }

#define PBLAS_SYRK(T, A, p, routine, ops)                                                          \
    GEMMILL_SCALAPACK_EXPORT void p##routine##_(                                                   \
        const char* uplo, const char* op, const int* n, const int* k, const A* alpha,              \
        PBLAS_ARGUMENT(T, a, A), const A* beta, PBLAS_ARGUMENT(T, c, C)) {                         \
        const auto run = [&](Ranks& ranks, const BlacsGrid& grid) {                                \
            const bool straight = flag<Op>(op) == Op::NoTrans;                                     \
            routine<T>(                                                                            \
                ranks, flag<Uplo>(uplo), flag<Op>(op), *alpha,                                     \
                matrix_of<T>({PBLAS_NAMES(a)}, grid, straight ? *n : *k, straight ? *k : *n),      \
                *beta, matrix_of<T>({PBLAS_NAMES(c)}, grid, *n, *n));                              \
        };                                                                                         \
        submit(#p #routine "_",                                                                    \
               {flops_of(type_of<T>, *n, *n, *k) / 2, is_one_of(uplo, "LU") && is_one_of(op, ops), \
                context_of(descc), is_one_context(descc, desca), run, [&] {                        \
                    pass_on(#p #routine "_", uplo, op, n, k, alpha, PBLAS_NAMES(a), beta,          \
                            PBLAS_NAMES(c));                                                       \
                }});                                                                               \
    }

#define PBLAS_SYR2K(T, B, p, routine, ops)                                                        \
    GEMMILL_SCALAPACK_EXPORT void p##routine##_(const char* uplo, const char* op, const int* n,   \
                                                const int* k, const T* alpha,                     \
                                                PBLAS_ARGUMENT(T, a, A), PBLAS_ARGUMENT(T, b, B), \
                                                const B* beta, PBLAS_ARGUMENT(T, c, C)) {         \
        const auto run = [&](Ranks& ranks, const BlacsGrid& grid) {                               \
            const bool straight = flag<Op>(op) == Op::NoTrans;                                    \
            const int rows = straight ? *n : *k, cols = straight ? *k : *n;                       \
            routine<T>(ranks, flag<Uplo>(uplo), flag<Op>(op), *alpha,                             \
                       matrix_of<T>({PBLAS_NAMES(a)}, grid, rows, cols),                          \
                       matrix_of<T>({PBLAS_NAMES(b)}, grid, rows, cols), *beta,                   \
                       matrix_of<T>({PBLAS_NAMES(c)}, grid, *n, *n));                             \
        };                                                                                        \
        submit(#p #routine "_",                                                                   \
               {flops_of(type_of<T>, *n, *n, *k), is_one_of(uplo, "LU") && is_one_of(op, ops),    \
                context_of(descc), is_one_context(descc, desca, descb), run, [&] {                \
                    pass_on(#p #routine "_", uplo, op, n, k, alpha, PBLAS_NAMES(a),               \
                            PBLAS_NAMES(b), beta, PBLAS_NAMES(c));                                \
                }});                                                                              \
    }

#define PBLAS_TRIANGULAR(T, p, routine)                                                           \
    GEMMILL_SCALAPACK_EXPORT void p##routine##_(                                                  \
        const char* side, const char* uplo, const char* op, const char* diag, const int* m,       \
        const int* n, const T* alpha, PBLAS_ARGUMENT(T, a, A), PBLAS_ARGUMENT(T, b, B)) {         \
        const int k = is_one_of(side, "L") ? *m : *n;                                             \
        const auto run = [&](Ranks& ranks, const BlacsGrid& grid) {                               \
            routine<T>(ranks, flag<Side>(side), flag<Uplo>(uplo), flag<Op>(op), flag<Diag>(diag), \
                       *alpha, matrix_of<T>({PBLAS_NAMES(a)}, grid, k, k),                        \
                       matrix_of<T>({PBLAS_NAMES(b)}, grid, *m, *n));                             \
        };                                                                                        \
        submit(#p #routine "_", {flops_of(type_of<T>, *m, *n, k) / 2,                             \
                                 is_one_of(side, "LR") && is_one_of(uplo, "LU") &&                \
                                     is_one_of(op, "NTC") && is_one_of(diag, "NU"),               \
                                 context_of(descb), is_one_context(descb, desca), run, [&] {      \
                                     pass_on(#p #routine "_", side, uplo, op, diag, m, n, alpha,  \
                                             PBLAS_NAMES(a), PBLAS_NAMES(b));                     \
                                 }});                                                             \
    }

#define PBLAS_ALL(T, p, ops)         \
    PBLAS_GEMM(T, p)                 \
    PBLAS_SYMM(T, p, symm)           \
    PBLAS_SYRK(T, T, p, syrk, ops)   \
    PBLAS_SYR2K(T, T, p, syr2k, ops) \
    PBLAS_TRIANGULAR(T, p, trmm)     \
    PBLAS_TRIANGULAR(T, p, trsm)
#define PBLAS_HERMITIAN(T, p)               \
    PBLAS_SYMM(T, p, hemm)                  \
    PBLAS_SYRK(T, real_t<T>, p, herk, "NC") \
    PBLAS_SYR2K(T, real_t<T>, p, her2k, "NC")

PBLAS_ALL(float, ps, "NTC")
PBLAS_ALL(double, pd, "NTC")
PBLAS_ALL(std::complex<float>, pc, "NT")
PBLAS_ALL(std::complex<double>, pz, "NT")
PBLAS_HERMITIAN(std::complex<float>, pc)
PBLAS_HERMITIAN(std::complex<double>, pz)
