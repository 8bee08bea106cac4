// SPDX-License-Identifier: Apache-2.0
// The routines by name.
#pragma once

#include <array>

#include "gemmill/types.hpp"

namespace gemmill {

inline constexpr std::array<const char*, 10> routine_names{
    "gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"};

constexpr const char* name_of(Routine routine) {
    return routine_names[static_cast<std::size_t>(routine)];
}

}  // namespace gemmill
