// SPDX-License-Identifier: Apache-2.0
// The figures of gemmill reproduce. All write SVG files into a folder and throw Error(io) naming
// the file.
#pragma once

#include <string>
#include <vector>

#include "reproduce/reproduce.hpp"

namespace gemmill::command {

/// Rates against n, the stack of optimisations, strong scaling.
void draw_uncut(Evaluator& evaluator, const std::string& folder, std::size_t step);
/// Rates and parallel efficiency against n, volumes by GPU.
void draw_blasx(Evaluator& evaluator, const std::string& folder, const std::vector<index_t>& sizes);
/// Share of the peak against tile and against n.
void draw_parsec(Evaluator& evaluator, const std::string& folder, bool quick);

}  // namespace gemmill::command
