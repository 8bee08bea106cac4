/* SPDX-License-Identifier: Apache-2.0
 * Distributed level-3 BLAS for C; dist.hpp says what each does. In libgemmill_mpi. All functions
 * return a gemmill_code, the same on every rank; gemmill_message() has the words. */
#ifndef GEMMILL_DIST_H
#define GEMMILL_DIST_H

#include <mpi.h>
#include <stdint.h>

#include "gemmill/gemmill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* rows x cols elements in blocks of row_block x col_block on a grid of ranks, which are counted
 * along its rows (order 'R') or columns ('C'). The first block is on row_source, col_source; -1:
 * all ranks of that dimension have everything. first_row_block and first_col_block: sizes of the
 * first blocks, 0: as all others. The part that is meant begins at row, col (from 0) and has
 * part_rows x part_cols elements. */
typedef struct gemmill_dist_matrix {
    int64_t rows, cols, row_block, col_block;
    int grid_rows, grid_cols;
    char order;
    int row_source, col_source;
    int64_t first_row_block, first_col_block;
    void* data; /* this rank's part, column-major */
    int64_t ld;
    int64_t row, col, part_rows, part_cols;
} gemmill_dist_matrix;

/* All of a matrix in equal blocks, from the first rank on. */
GEMMILL_C_API gemmill_dist_matrix gemmill_dist_whole(int64_t rows, int64_t cols, int64_t block,
                                                     int grid_rows, int grid_cols, void* data,
                                                     int64_t ld);
/* Rows (columns) of a matrix in blocks that place `at` of `parts` has; the size of local arrays. */
GEMMILL_C_API int64_t gemmill_dist_local(int64_t size, int64_t block, int at, int parts);

/* type is 's', 'd', 'c' or 'z'; alpha and beta point to such numbers. */
GEMMILL_C_API gemmill_code gemmill_dist_gemm(MPI_Comm comm, char type, char op_a, char op_b,
                                             const void* alpha, const gemmill_dist_matrix* a,
                                             const gemmill_dist_matrix* b, const void* beta,
                                             const gemmill_dist_matrix* c);
/* to = op(from). */
GEMMILL_C_API gemmill_code gemmill_dist_copy(MPI_Comm comm, char type, char op,
                                             const gemmill_dist_matrix* from,
                                             const gemmill_dist_matrix* to);
/* symm, hemm: `hermitian` is not 0 for hemm. */
GEMMILL_C_API gemmill_code gemmill_dist_symm(MPI_Comm comm, char type, int hermitian, char side,
                                             char uplo, const void* alpha,
                                             const gemmill_dist_matrix* a,
                                             const gemmill_dist_matrix* b, const void* beta,
                                             const gemmill_dist_matrix* c);
/* syrk, herk where b is null, else syr2k, her2k. Of herk alpha, and of both hermitian ones beta,
 * points to a number of the same type whose imaginary part is not looked at. */
GEMMILL_C_API gemmill_code gemmill_dist_syrk(MPI_Comm comm, char type, int hermitian, char uplo,
                                             char op, const void* alpha,
                                             const gemmill_dist_matrix* a,
                                             const gemmill_dist_matrix* b, const void* beta,
                                             const gemmill_dist_matrix* c);
/* trmm, or trsm where `solves` is not 0. */
GEMMILL_C_API gemmill_code gemmill_dist_trmm(MPI_Comm comm, char type, int solves, char side,
                                             char uplo, char op, char diag, const void* alpha,
                                             const gemmill_dist_matrix* a,
                                             const gemmill_dist_matrix* b);

#ifdef __cplusplus
}
#endif

#endif
