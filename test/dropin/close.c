/* SPDX-License-Identifier: Apache-2.0
 * Opens a library, calls it on devices, and closes it while their threads still run; often. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void (*Dgemm)(const char*, const char*, const int*, const int*, const int*, const double*,
                      const double*, const int*, const double*, const int*, const double*, double*,
                      const int*);
typedef int (*Create)(void**, const char* const*, const char* const*, size_t);
typedef int (*Multiply)(void*, char, char, char, long, long, long, double, const double*, long,
                        const double*, long, double, double*, long);

enum { n = 40 };
static double a[n * n], c[n * n];

static int by_blas(void* library) {
    const int size = n;
    const double one = 1, zero = 0;
    Dgemm dgemm = (Dgemm)dlsym(library, "dgemm_");
    if (dgemm == NULL) return 0;
    dgemm("N", "N", &size, &size, &size, &one, a, &size, a, &size, &zero, c, &size);
    return 1;
}

static int by_context(void* library) {
    const char *names[] = {"devices", "tile"}, *values[] = {"cpu:2", "8"};
    void* context = NULL;
    Create create = (Create)dlsym(library, "gemmill_create_with");
    Multiply multiply = (Multiply)dlsym(library, "gemmill_dgemm");
    if (create == NULL || create(&context, names, values, 2) != 0) return 0;
    return multiply(context, 'C', 'N', 'N', n, n, n, 1, a, n, a, n, 0, c, n) == 0;
}

int main(int count, char** words) {
    for (int i = 0; i < n * n; ++i) a[i] = 1;
    for (int round = 0; round < 100; ++round) {
        void* library = count == 3 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (library == NULL) return 2;
        memset(c, 0, sizeof c);
        int good = strcmp(words[2], "blas") == 0 ? by_blas(library) : by_context(library);
        dlclose(library);
        if (!good || c[n * n - 1] != n) return 1;
    }
    puts("closed");
    return 0;
}
