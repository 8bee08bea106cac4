// SPDX-License-Identifier: Apache-2.0
// Why calls of a program do not come to the drop-in, in words.
#pragma once

#include <span>
#include <string>

#include "api/blas/hosts/loaded.hpp"

namespace gemmill::blas {

/// "libfoo.so has it under other names (foo_dgemm); ..."; empty when all that is loaded is reached.
std::string unreached_text(std::span<const LoadedBlas> loaded);

/// The line for a program that made no call. `first`: it is what `gemmill run` started, whose user
/// waits for an answer; for other processes empty where there is nothing to wonder about.
std::string no_calls_text(std::span<const LoadedBlas> loaded, bool first);

}  // namespace gemmill::blas
