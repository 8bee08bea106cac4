// SPDX-License-Identifier: Apache-2.0
#include "plan/faults.hpp"

namespace gemmill {

std::vector<std::string> validate(const Plan& plan) {
    Faults faults;
    check_structure(plan, faults);
    if (faults.empty()) {
        check_races(plan, HappensBefore(plan), faults);
        check_sums(plan, faults);
    }
    return faults.take();
}

}  // namespace gemmill
