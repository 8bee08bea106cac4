// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plan/check/faults.hpp"

namespace gemmill {

std::vector<std::string> validate(const Plan& plan) {
    constexpr std::size_t most_cells = 1 << 25;  // some GB to follow
    Faults faults;
    check_goal(plan, faults);
    if (faults.empty()) check_structure(plan, faults);
    if (faults.empty()) check_instructions(plan, faults);
    if (!faults.empty()) return faults.take();
    const Cells cells(plan);
    if (cells.count() > most_cells) {
        faults.add(
            fmt::format("steps cut buffers and the target into {} parts, too many", cells.count()));
    } else {
        check_races(plan, cells, faults);
        check_sums(plan, cells, faults);
    }
    return faults.take();
}

}  // namespace gemmill
