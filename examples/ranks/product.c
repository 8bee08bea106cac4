/* SPDX-License-Identifier: Apache-2.0
 * mpirun -n 4 example_ranks_c: the same from C. */
#include <gemmill/dist.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    const int64_t n = 400, block = 16;
    const double one = 1, zero = 0;
    int rank = 0, ranks = 1, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* All columns of some rows on each rank. */
    const int64_t rows = gemmill_dist_local(n, block, rank, ranks), ld = rows > 0 ? rows : 1;
    double* local = malloc((size_t)(3 * ld * n) * sizeof *local);
    if (local == NULL) return 1;
    for (int64_t i = 0; i < ld * n; ++i)
        local[i] = 1, local[ld * n + i] = 2, local[2 * ld * n + i] = 0;
    const gemmill_dist_matrix a = gemmill_dist_whole(n, n, block, ranks, 1, local, ld);
    const gemmill_dist_matrix b = gemmill_dist_whole(n, n, block, ranks, 1, local + ld * n, ld);
    const gemmill_dist_matrix c = gemmill_dist_whole(n, n, block, ranks, 1, local + 2 * ld * n, ld);

    if (gemmill_dist_gemm(MPI_COMM_WORLD, 'd', 'N', 'N', &one, &a, &b, &zero, &c) != GEMMILL_OK) {
        if (rank == 0) fprintf(stderr, "%s\n", gemmill_message());
        wrong = 1;
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < rows; ++i)
            wrong |= local[2 * ld * n + i + j * ld] != 2.0 * (double)n;
    free(local);
    MPI_Finalize();
    return wrong;
}
