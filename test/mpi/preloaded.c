/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows ScaLAPACK only: pdgemm on all ranks, checked. With the argument `ours` the
   routine must come from libgemmill_scalapack, with `theirs` it must not.
       mpirun -n 4 -x LD_PRELOAD=$(gemmill blas --scalapack) preloaded ours */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, const char*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void Cblacs_gridexit(int);
int numroc_(const int*, const int*, const int*, const int*, const int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, const int*, int*);
void pdgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
             const double*, const int*, const int*, const int*, const double*, const int*,
             const int*, const int*, const double*, double*, const int*, const int*, const int*);

static const int zero = 0, one = 1, n = 500, nb = 32;

static int comes_from_gemmill(void) {
    Dl_info info;
    return dladdr(dlsym(RTLD_DEFAULT, "pdgemm_"), &info) != 0 &&
           strstr(info.dli_fname, "libgemmill_scalapack") != NULL;
}

static double* filled(int count, double value) {
    double* x = malloc(sizeof(double) * (size_t)(count > 0 ? count : 1));
    for (int i = 0; i < count; ++i) x[i] = value;
    return x;
}

static int run(int ranks) {
    int context, p, q, row, col, info, desc[9], wrong = 0;
    const double alpha = 2, beta = 1;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", 1, ranks);
    Cblacs_gridinfo(context, &p, &q, &row, &col);
    const int rows = numroc_(&n, &nb, &row, &zero, &p), cols = numroc_(&n, &nb, &col, &zero, &q);
    const int ld = rows > 1 ? rows : 1;
    descinit_(desc, &n, &n, &nb, &nb, &zero, &zero, &context, &ld, &info);
    double *a = filled(rows * cols, 1), *b = filled(rows * cols, 3), *c = filled(rows * cols, 5);
    pdgemm_("N", "T", &n, &n, &n, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one,
            &one, desc);
    for (int i = 0; i < rows * cols; ++i) wrong += c[i] != 2 * 3.0 * n + 5;
    free(a), free(b), free(c);
    Cblacs_gridexit(context);
    return wrong;
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int expected = argc > 1 && strcmp(argv[1], "ours") == 0;
    int mine = run(ranks) != 0, all = 0;
    if (comes_from_gemmill() != expected) mine = 1;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d wrong, pdgemm is %s\n", ranks, all, expected ? "ours" : "theirs");
    MPI_Finalize();
    return all != 0;
}
