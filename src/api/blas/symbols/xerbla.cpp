// SPDX-License-Identifier: Apache-2.0
// The default reports of bad arguments: a line on standard error, and the call does nothing. A
// program that defines its own takes their place.
#include <cstdarg>
#include <string_view>

#include "api/blas/symbols/entry.hpp"
#include "base/routine.hpp"

GEMMILL_BLAS_EXPORT int RowMajorStrg;
GEMMILL_BLAS_EXPORT int CBLAS_CallFromC;
int RowMajorStrg = 0;
int CBLAS_CallFromC = 0;

namespace {

using namespace gemmill;

/// The place of an argument in the caller's list: "cblas_dgemm" row-major had its sizes and leading
/// dimensions counted in the transposed call.
Int callers_position(std::string_view name, Int position) {
    const Int first_size = name.ends_with("gemmt") ? 5 : 4;
    if (__atomic_load_n(&RowMajorStrg, __ATOMIC_RELAXED) == 0 || position < first_size)
        return position;
    for (std::size_t r = 0; r < routine_names.size(); ++r)
        if (name.size() > 7 && name.substr(7) == routine_names[r])
            return 1 + transposed_position(static_cast<Routine>(r), static_cast<int>(position) - 1);
    return position;
}

void say_bad(std::string_view name, Int position) {
    blas::say(" ** On entry to " + std::string(name) + " parameter number " +
              std::to_string(position) + " had an illegal value");
}

}  // namespace

GEMMILL_BLAS_EXPORT void xerbla_(const char* name, const Int* position, std::size_t length) {
    say_bad({name, length}, *position);
}

GEMMILL_BLAS_EXPORT void cblas_xerbla(Int position, const char* name, const char*, ...) {
    say_bad(name, callers_position(name, position));
}

#if defined(GEMMILL_BLAS_SUFFIXED)
GEMMILL_BLAS_ALIAS(xerbla_64_, xerbla_)
GEMMILL_BLAS_ALIAS(cblas_xerbla64_, cblas_xerbla)
GEMMILL_BLAS_ALIAS(cblas_xerbla_64, cblas_xerbla)
#endif

// Before the first call, so that a fork is seen even when a call is under way.
__attribute__((constructor)) static void loaded() { gemmill::blas::begin(sizeof(Int) == 8); }
