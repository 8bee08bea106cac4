/* SPDX-License-Identifier: Apache-2.0
 * Calls with a leading dimension that is too small: as a program (PROGRAM), for R (.C) and for
 * Octave (mex). With HANDLER, also the xerbla_ that is told; with JUMPING it does not come back. */
#include <setjmp.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);

#ifdef HANDLER
static jmp_buf back;
void xerbla_(const char* name, const int* position, size_t length) {
    (void)length;
    printf("told %.5s %d\n", name, *position);
#ifdef JUMPING
    longjmp(back, 1);
#endif
}
#endif

static const double a[4] = {1, 2, 3, 4};
static double c[4] = {5, 5, 5, 5};

void bad_call(void) {
    const int one = 1, two = 2;
    const double x = 1;
    dgemm_("N", "N", &two, &two, &two, &x, a, &one, a, &two, &x, c, &two);
}

void bad_c_call(void) { cblas_dgemm(102, 111, 111, 2, 2, 2, 1.0, a, 1, a, 2, 1.0, c, 2); }

void mexFunction(int outputs, void** left, int inputs, const void** right) {
    (void)outputs, (void)left, (void)inputs, (void)right;
    bad_call();
}

#ifdef PROGRAM
int main(void) {
#ifdef JUMPING
    if (setjmp(back) != 0) return 0;
#endif
    bad_call();
    puts("went on");
    return 0;
}
#endif
