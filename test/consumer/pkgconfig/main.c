/* SPDX-License-Identifier: Apache-2.0
 * A foreign program in C: a 2 x 2 product, and a code for a bad argument. */
#include <gemmill/gemmill.h>
#include <string.h>

int main(void) {
    const float a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8};
    float c[4] = {0};
    if (gemmill_sgemm(NULL, 'C', 'N', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2) != GEMMILL_OK) return 1;
    if (c[0] != 19 || c[1] != 43 || c[2] != 22 || c[3] != 50) return 2;
    if (gemmill_sgemm(NULL, 'C', 'N', 'N', -1, 2, 2, 1, a, 2, b, 2, 0, c, 2) !=
        GEMMILL_BAD_ARGUMENT)
        return 3;
    return strlen(gemmill_message()) > 0 && strlen(gemmill_version()) > 0 ? 0 : 4;
}
