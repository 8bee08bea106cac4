/* SPDX-License-Identifier: Apache-2.0
 * The same product from C: codes instead of exceptions. */
#include <math.h>
#include <stdio.h>

#include "gemmill/gemmill.h"

int main(void) {
    /* Row-major: A is 2 x 3, B is 3 x 2. */
    const double a[] = {1, 2, 3, 4, 5, 6};
    const double b[] = {7, 8, 9, 10, 11, 12};
    const double right[] = {58, 64, 139, 154};
    double c[4] = {0};
    gemmill_context* context = NULL;

    if (gemmill_create(&context) != GEMMILL_OK) {
        fprintf(stderr, "%s\n", gemmill_message());
        return 1;
    }
    gemmill_code code = gemmill_dgemm(context, 'R', 'N', 'N', 2, 2, 3, 1.0, a, 3, b, 2, 0.0, c, 2);
    printf("Gemmill %s: %g %g / %g %g\n", gemmill_version(), c[0], c[1], c[2], c[3]);

    /* A leading dimension that is too small is refused before anything is written. */
    gemmill_code refused =
        gemmill_dgemm(context, 'R', 'N', 'N', 2, 2, 3, 1.0, a, 1, b, 2, 0.0, c, 2);
    printf("refused: %s\n", gemmill_message());
    gemmill_destroy(context);

    for (int i = 0; i < 4; ++i)
        if (fabs(c[i] - right[i]) > 1e-12) return 1;
    return code == GEMMILL_OK && refused == GEMMILL_BAD_ARGUMENT ? 0 : 1;
}
