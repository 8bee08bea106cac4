// SPDX-License-Identifier: Apache-2.0
// Goals and steps as formulas: "C <- beta C + alpha A B'".
#pragma once

#include <string>
#include <string_view>

#include "gemmill/plan.hpp"

namespace gemmill {

/// A sum while it is written down: parts with " + " between them, "0" when there are none.
class SumText {
  public:
    /// scale text; a scale of one is left out.
    void add(Scale scale, std::string_view text);
    std::string take() { return text_.empty() ? "0" : std::move(text_); }

  private:
    std::string text_;
};

/// "beta C + alpha A B'".
std::string sum_of(const Plan& plan, const Goal& goal);

/// The op that a step's input has: op_a and op_b, or that of the triangular factor where it stands.
Op op_of_input(const Step& step, int input);
void set_op_of_input(Step& step, int input, Op op);

/// "lower", "left upper unit": the flags that the opcode takes, a blank before each.
std::string flags_of(const Step& step);

/// "C[0:8,0:4]@2", "A[0:8,0:8]@home".
std::string ref_text(const Plan& plan, const Ref& ref);

/// "gemm C[0:8,0:4]@2 <- C + alpha A[0:8,0:4]@0 B[0:4,0:4]@1".
std::string step_text(const Plan& plan, const Step& step);

}  // namespace gemmill
