// SPDX-License-Identifier: Apache-2.0
// Whether a large product of random matrices is right, by all cores.
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"

namespace gemmill::command {

/// The error of C = alpha A B + beta C0 by a random vector, in units of what rounding may do, as in
/// verify.hpp: 1 or less is right. The matrices are not transposed and of type s, d, c or z,
/// without gaps between columns; C0 was filled with this seed. Sums are in double.
double product_error(const GemmArgs& args, std::uint64_t seed);

}  // namespace gemmill::command
