// SPDX-License-Identifier: Apache-2.0
// A program whose xerbla_ throws, through whatever BLAS calls it.
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void xerbla_(const char* name, const int* position, std::size_t) {
    throw std::runtime_error(std::string(name, 5) + " " + std::to_string(*position));
}
}

int main() {
    const int one = 1, two = 2;
    const double x = 1, a[4] = {1, 2, 3, 4};
    double c[4] = {5, 5, 5, 5};
    try {
        dgemm_("N", "N", &two, &two, &two, &x, a, &one, a, &two, &x, c, &two);
    } catch (const std::runtime_error& error) {
        std::printf("caught %s\n", error.what());
        return 0;
    }
    return 1;
}
