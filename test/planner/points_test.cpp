// SPDX-License-Identifier: Apache-2.0
// Plans of every policy on points of the evaluation of Uncut-GEMMs.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "matrix/placement.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

constexpr index_t kilo = 1024;

/// m = n and k: squares, k a part of m, k a multiple of m.
std::vector<std::array<index_t, 2>> shapes() {
    std::vector<std::array<index_t, 2>> all;
    for (index_t n = 5 * kilo; n <= 32 * kilo; n += n < 20 * kilo ? kilo : 2 * kilo)
        if (n <= 16 * kilo || n >= 20 * kilo) all.push_back({n, n});
    for (const index_t ratio : {4, 8, 16}) {
        for (index_t n = 16 * kilo; n <= 40 * kilo; n += 4 * kilo) all.push_back({n, n / ratio});
        for (index_t n = 5 * kilo; n <= 11 * kilo; n += kilo) all.push_back({n, n * ratio});
    }
    return all;
}

std::vector<Problem> points(const Machine& machine) {
    std::vector<Problem> all;
    for (const Type type : {Type::d, Type::s})
        for (const char* at : {"h", "0", "4,2,h", "h,h,0", "4,2,7"})
            for (const auto& [n, k] : shapes()) {
                Problem p;
                p.type = type;
                p.m = p.n = n, p.k = k;
                p.alpha = p.beta = Factor::general;
                p.home = parse_placement(machine, at);
                all.push_back(p);
            }
    return all;
}

TEST(PaperPoints, plans_of_every_policy_are_valid) {
    const Machine machine = load_machine("hgx-a100-8");
    const std::vector<Problem> all = points(machine);
    ASSERT_EQ(all.size(), 2U * 305U);
    // Neither step has a factor in common with 610, so all types, placements and shapes are met.
    const std::size_t step = slowdown > 1 ? 19 : 9;
    for (std::size_t i = 0; i < all.size(); i += step)
        for (const Policy& policy : policies()) {
            Options options;
            options.policy = policy.name;
            const Plan plan = make_plan(all[i], machine, options);
            const std::vector<std::string> faults = validate(plan);
            ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << to_string(plan);
        }
}

}  // namespace
}  // namespace gemmill::test
