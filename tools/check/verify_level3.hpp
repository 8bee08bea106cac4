// SPDX-License-Identifier: Apache-2.0
// Whether the result of another routine of level 3 is right, element by element.
#pragma once

#include "check/verify.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::command {

/// args are those of the call, with args.c the result; old_c is C before it, also args.ldc apart.
/// Up to 1e8 flops every element is compared with its sum in long double, of larger ones those of a
/// grid of 64 x 64 places. Of trsm op(A) times the result is compared with alpha times the old C.
/// The triangle that the routine leaves alone must be as it was. With
///     size = sum of |alpha| |a| |b| over k, and |beta| |old C|
/// the error is the largest |found - right| / (eps (k + 2) size), eps as in verify.hpp.
Verdict verify_level3(const Level3Args& args, const void* old_c);

}  // namespace gemmill::command
