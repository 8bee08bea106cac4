// SPDX-License-Identifier: Apache-2.0
// A plan while it is made, with the problem that it is for.
#pragma once

#include "gemmill/plan.hpp"
#include "gemmill/problem.hpp"

namespace gemmill {

struct Draft : Plan {
    Problem problem;
};

}  // namespace gemmill
