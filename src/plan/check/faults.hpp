// SPDX-License-Identifier: Apache-2.0
// The parts of validate(): each looks at one law and adds what it finds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gemmill/plan.hpp"
#include "plan/check/cells.hpp"

namespace gemmill {

/// Collects faults in words, the first few of them and each once.
class Faults {
  public:
    void add(std::string text) {
        if (list_.size() < most && std::ranges::find(list_, text) == list_.end())
            list_.push_back(std::move(text));
    }
    bool empty() const noexcept { return list_.empty(); }
    std::vector<std::string> take() { return std::move(list_); }

  private:
    static constexpr std::size_t most = 20;
    std::vector<std::string> list_;
};

/// Operands and a goal that mean something. The other parts rely on it.
void check_goal(const Plan& plan, Faults& faults);
/// All that names something else names what is there, and buffers fit. Needs a sound goal.
void check_structure(const Plan& plan, Faults& faults);
/// Steps that say what their opcodes take, on tiles that fit together. Needs a sound structure.
void check_instructions(const Plan& plan, Faults& faults);
/// No two steps that touch the same bytes can run at once, and no place is taken before it is free.
void check_races(const Plan& plan, const Cells& cells, Faults& faults);
/// Every element of the target gets what the goal says once, and is written once.
void check_sums(const Plan& plan, const Cells& cells, Faults& faults);

}  // namespace gemmill
