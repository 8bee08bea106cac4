// SPDX-License-Identifier: Apache-2.0
// Whether a product is right, by means that share nothing with what made it.
#pragma once

#include "gemmill/types.hpp"
#include "kernel/kernel.hpp"

namespace gemmill::command {

/// The error is measured by what rounding may do, so that 1 or less is right. With
///     size = |alpha| |row of op(A)| |column of op(B)| + |beta| |old C|   (Euclidean norms)
/// and eps the machine epsilon of the type, times 2 sqrt(2) when it is complex, it is
///     reference product:  the largest |C - reference| / e of all elements
///     random vector:      the largest |C x - expected| / (8 |e x|) of all rows
/// where e is eps (k + 2) size for the first one and eps sqrt(k + 2) size for the second.
/// The second one holds for matrices of random signs, where errors do not line up.
///
/// For h and b eps is that of float, in which they are summed. That C is rounded R times to 16 bits
/// adds to e, with eps16 the epsilon of the type and tiny its least number,
///     reference product:  R (eps16 size + tiny)
///     random vector:      sqrt(R) (eps16 / 2 typical + tiny)
/// where typical is size with its first term over sqrt(k): what a sum of random signs comes to.
struct Verdict {
    double error = 0;
    const char* method = "";  ///< "reference product" or "random vector"
    bool right() const { return error <= 1; }
};

/// args are those of the call, with args.c the result; old_c is C before it, also args.ldc apart.
/// Up to 1e9 flops every element is compared with the reference product; for larger ones C x is
/// compared with alpha op(A) (op(B) x) + beta C0 x in long double, for a random x.
/// `roundings` is R, for h and b: 1 for one kernel, more when a plan has cut k.
Verdict verify(const GemmArgs& args, const void* old_c, index_t roundings = 1);

}  // namespace gemmill::command
