/* SPDX-License-Identifier: Apache-2.0
 * Calls that can be counted: 100 small products and a larger one, 10 updates. */
#include <stdio.h>
#include <stdlib.h>

void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);
void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, const float*, float*, const int*);

int main(void) {
    enum { large = 500 };
    double* a = calloc(large * large, sizeof *a);
    double* c = calloc(large * large, sizeof *c);
    float f[64] = {0}, g[64] = {0}, one = 1;
    const int eight = 8;
    for (int i = 0; i < 100; ++i) cblas_dgemm(101, 111, 112, 20, 20, 20, 1, a, 20, a, 20, 0, c, 20);
    cblas_dgemm(102, 111, 111, large, large, large, 1, a, large, a, large, 0, c, large);
    for (int i = 0; i < 10; ++i) ssyrk_("U", "N", &eight, &eight, &one, f, &eight, &one, g, &eight);
    free(a);
    free(c);
    puts("done");
    return 0;
}
