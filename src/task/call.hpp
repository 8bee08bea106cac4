// SPDX-License-Identifier: Apache-2.0
// A problem and a call of level 3 with its pointers, each from the other.
#pragma once

#include <array>

#include "gemmill/problem.hpp"
#include "kernel/kernel.hpp"

namespace gemmill {

/// The call without its pointers; `home` says where A, B and C lie.
Problem problem_of(const Level3Args& call, const std::array<MemoryId, 3>& home);

/// The pointers, leading dimensions and numbers of a call.
struct Given {
    std::array<const void*, 3> data{};  ///< of A, B and C; C is written through
    std::array<index_t, 3> ld{};
    Scalar alpha, beta;
};
/// The whole problem as one call.
Level3Args call_of(const Problem& problem, const Given& given);

}  // namespace gemmill
