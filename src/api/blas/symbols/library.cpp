// SPDX-License-Identifier: Apache-2.0
// What each library has once, whatever families of names are in it.
#include "api/blas/dispatch.hpp"

extern "C" {
__attribute__((visibility("default"))) extern int RowMajorStrg;
__attribute__((visibility("default"))) extern int CBLAS_CallFromC;
int RowMajorStrg = 0;
int CBLAS_CallFromC = 0;
// By this it is known as no host BLAS, whatever its file is called.
__attribute__((visibility("default"))) extern const char gemmill_dropin;
const char gemmill_dropin = 1;
}

// Before the first call, so that a fork is seen even when a call is under way.
__attribute__((constructor)) static void loaded() { gemmill::blas::begin(); }
