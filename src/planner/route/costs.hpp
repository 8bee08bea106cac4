// SPDX-License-Identifier: Apache-2.0
// What kernels cost: plans in tiles have many alike.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "model/cost.hpp"
#include "planner/draft.hpp"

namespace gemmill {

/// For kernels whose matrices are whole buffers in their device's memory, or lie there.
class KernelCosts {
  public:
    explicit KernelCosts(const Draft& plan) : plan_(plan), known_(plan.machine.devices.size()) {}

    /// cost_of() the step, which runs on that device.
    const Cost& of(const Step& step, DeviceId device);

  private:
    /// All that the cost of such a kernel depends on.
    struct Kernel {
        struct Matrix {
            index_t rows = -1, cols = -1;
            OperandId operand = -1;
            bool home = false;
            bool operator==(const Matrix&) const = default;
        };
        Opcode op;
        Scale keep;
        std::array<Matrix, 3> matrices;
        Op op_a, op_b;
        Side side;
        Triangle triangle;
        bool operator==(const Kernel&) const = default;
    };
    Kernel kernel_of(const Step& step) const;
    Kernel::Matrix matrix_of(const Ref& ref) const;

    const Draft& plan_;
    std::vector<std::vector<std::pair<Kernel, Cost>>> known_;  // by device
};

}  // namespace gemmill
