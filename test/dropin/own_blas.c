/* SPDX-License-Identifier: Apache-2.0
 * A program with a BLAS of its own inside, which it calls directly. */
#include <stdio.h>

void dgemm_(void) { puts("multiplied"); }
static void (*volatile direct)(void) = dgemm_;

int main(void) {
    direct();
    return 0;
}
