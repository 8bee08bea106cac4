// SPDX-License-Identifier: Apache-2.0
// The figures of gemmill reproduce uncut.
#pragma once

#include <string>

#include "reproduce.hpp"

namespace gemmill::command {

/// Writes SVG files into a folder: rates against n, the stack of optimisations, strong scaling.
/// Throws Error(io) naming the file.
void draw_uncut(Evaluator& evaluator, const std::string& folder, std::size_t step);

}  // namespace gemmill::command
