// SPDX-License-Identifier: Apache-2.0
// A foreign program that calls BLAS by its old name.
extern "C" void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
                       const double*, const int*, const double*, const int*, const double*, double*,
                       const int*);

int main() {
    const double a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8}, one = 1, zero = 0;
    double c[4] = {};
    const int n = 2;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    return c[0] == 19 && c[1] == 43 && c[2] == 22 && c[3] == 50 ? 0 : 1;
}
