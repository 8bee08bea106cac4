/* SPDX-License-Identifier: Apache-2.0
 * Loads a module for itself alone, as interpreters do, and calls a function of it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
    void* module = count == 3 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*function)(void) = module != NULL ? (void (*)(void))dlsym(module, words[2]) : NULL;
    if (function == NULL) return 2;
    function();
    return 0;
}
