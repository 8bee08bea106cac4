// SPDX-License-Identifier: Apache-2.0
#include "reproduce_figures.hpp"
namespace gemmill::command {
void draw_uncut(Evaluator&, const std::string&, std::size_t) {}
}  // namespace gemmill::command
