/* SPDX-License-Identifier: Apache-2.0
 * cc -O2 examples/blas/product.c -lblas -lm -o product && gemmill run -- ./product */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);

int main(void) {
    enum { n = 1000 };
    double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b);
    double* c = calloc(n * n, sizeof *c);
    double worst = 0;
    for (int i = 0; i < n * n; ++i) a[i] = sin(i), b[i] = cos(i);
    cblas_dgemm(101, 111, 111, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
    for (int i = 0; i < n; i += 99) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + i];
        worst = fmax(worst, fabs(sum - c[i * n + i]));
    }
    printf("1000 x 1000: off by %.1e\n", worst);
    free(a), free(b), free(c);
    return worst < 1e-9 ? 0 : 1;
}
