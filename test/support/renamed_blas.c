/* SPDX-License-Identifier: Apache-2.0
 * A library with a BLAS under names that nobody knows, and, unless UNKNOWN_ONLY, handlers that
 * write down what they were told. It stands for those that programs bring. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct {
    char name[16];
    int64_t position;
} told;

static void note(const char* name, size_t length, int64_t position) {
    memset(told.name, 0, sizeof told.name);
    memcpy(told.name, name, length < sizeof told.name ? length : sizeof told.name - 1);
    told.position = position;
}

void foo_dgemm_(void) {}

#ifndef UNKNOWN_ONLY
void xerbla_(const char* name, const int32_t* position, size_t length) {
    note(name, length, *position);
}
void scipy_xerbla_64_(const char* name, const int64_t* position, size_t length) {
    note(name, length, *position);
}
void cblas_xerbla(int32_t position, const char* name, const char* format, ...) {
    (void)format;
    note(name, strlen(name), position);
}

/* A BLAS's own: beside its routines. */
void scipy_cblas_dgemm64_(void) {}
void scipy_cblas_xerbla64_(int64_t position, const char* name, const char* format, ...) {
    (void)position, (void)name, (void)format;
    __builtin_trap();
}
#endif
