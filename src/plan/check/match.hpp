// SPDX-License-Identifier: Apache-2.0
// Which term of a plan's goal a product of tiles belongs to.
#pragma once

#include "plan/ops.hpp"

namespace gemmill {

/// Its number, or -1 when the goal has no such term. A tile of a symmetric operand may be taken
/// transposed: it then stands for its image.
int find_term(const Plan& plan, const Product& product);

}  // namespace gemmill
