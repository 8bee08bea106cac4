// SPDX-License-Identifier: Apache-2.0
#include "planner/route/costs.hpp"

#include <algorithm>

namespace gemmill {

KernelCosts::Kernel::Matrix KernelCosts::matrix_of(const Ref& ref) const {
    if (ref.tile < 0) return {};
    const Tile& tile = plan_.tiles[static_cast<std::size_t>(ref.tile)];
    return {tile.rows, tile.cols, tile.operand, ref.buffer == Ref::home};
}

KernelCosts::Kernel KernelCosts::kernel_of(const Step& step) const {
    return {step.op,
            step.keep,
            {matrix_of(step.out), matrix_of(step.in[0]), matrix_of(step.in[1])},
            step.op_a,
            step.op_b,
            step.side,
            step.triangle};
}

const Cost& KernelCosts::of(const Step& step, DeviceId device) {
    auto& known = known_[static_cast<std::size_t>(device)];
    const Kernel kernel = kernel_of(step);
    auto found = std::ranges::find(known, kernel, &std::pair<Kernel, Cost>::first);
    if (found == known.end()) {
        known.emplace_back(kernel, cost_of(plan_, step));
        found = known.end() - 1;
    }
    return found->second;
}

}  // namespace gemmill
