/* SPDX-License-Identifier: Apache-2.0
 * Whether the system takes this program for one with other rights than its user's. */
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
    puts(getauxval(AT_SECURE) != 0 ? "secure" : "plain");
    return 0;
}
