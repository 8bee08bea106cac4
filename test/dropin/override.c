/* SPDX-License-Identifier: Apache-2.0
 * A program that defines xerbla_ and cblas_xerbla itself: prints what they were told. */
#include <stdio.h>

void xerbla_(const char* name, const int* info, size_t length) {
    printf("mine %.*s %d\n", (int)length, name, *info);
}
void cblas_xerbla(int info, const char* name, const char* format, ...) {
    (void)format;
    printf("mine %s %d\n", name, info);
}

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void cblas_dsyrk(int, int, int, int, int, double, const double*, int, double, double*, int);

int main(void) {
    const int minus = -1, two = 2;
    const double one = 1, a[4] = {1, 2, 3, 4};
    double c[4] = {5, 5, 5, 5};
    dgemm_("N", "N", &two, &minus, &two, &one, a, &two, a, &two, &one, c, &two);
    dgemm_("N", "?", &two, &two, &two, &one, a, &two, a, &two, &one, c, &two);
    cblas_dsyrk(102, 121, 111, 2, 2, 1.0, a, 1, 0.0, c, 2);
    cblas_dsyrk(99, 121, 111, 2, 2, 1.0, a, 2, 0.0, c, 2);
    printf("%g %g\n", c[0], c[3]);
    return 0;
}
