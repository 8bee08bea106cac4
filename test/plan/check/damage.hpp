// SPDX-License-Identifier: Apache-2.0
// Ways to break a plan, and what validate() must say to each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "gemmill/plan.hpp"

namespace gemmill::test {

struct Damage {
    const char* name;
    const char* fault;  ///< words that one of the faults must have
    void (*harm)(Plan&);
};

inline void expect_found(const Plan& sound, std::span<const Damage> damages) {
    for (const Damage& damage : damages) {
        Plan plan = sound;
        damage.harm(plan);
        const auto faults = validate(plan);
        const bool named = std::ranges::any_of(faults, [&](const std::string& fault) {
            return fault.find(damage.fault) != std::string::npos;
        });
        EXPECT_TRUE(named) << damage.name << ": "
                           << (faults.empty() ? "nothing was found" : faults.front());
    }
}

}  // namespace gemmill::test
