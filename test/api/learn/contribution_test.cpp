// SPDX-License-Identifier: Apache-2.0
#include "api/learn/contribution.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "planner/planner.hpp"

namespace gemmill::test {
namespace {

Plan dealt_plan(const std::string& cpu) {
    const Machine machine = parse_machine(
        "machine pair\n"
        "memory host kind=host size=1GB\n"
        "memory gpu0 size=1GB\n"
        "device gpu0 memory=gpu0 bandwidth=1TB/s d=3T\n" +
        cpu +
        "link host -> gpu0 bandwidth=10GB/s\n"
        "link gpu0 -> host bandwidth=10GB/s\n"
        "link host -> host bandwidth=10GB/s\n");
    Problem p;
    p.m = p.n = p.k = 400;
    Options options;
    options.policy = "blasx";
    options.tile = 100;
    return make_plan(p, machine, options);
}
constexpr const char* one_cpu = "device cpu memory=host bandwidth=1TB/s d=1T\n";

TEST(Contribution, is_what_the_cpu_computes_beside_gpus) {
    const Plan plan = dealt_plan(one_cpu);
    const Statistics s = statistics(plan);
    ASSERT_GT(s.device_flops[1], 0);
    EXPECT_DOUBLE_EQ(cpu_part(plan), s.device_flops[1] / s.flops);
    EXPECT_EQ(cpu_part(dealt_plan("")), 0);
}

TEST(Contribution, is_told_where_there_was_a_cpu) {
    Contribution contribution;
    contribution.add(dealt_plan(""));
    EXPECT_EQ(contribution.text(), "");
    const Plan plan = dealt_plan(one_cpu);
    contribution.add(plan);
    contribution.add(plan);
    EXPECT_EQ(contribution.text(),
              fmt::format("the CPU made {:.1f} % of what devices computed", 100 * cpu_part(plan)));
}

}  // namespace
}  // namespace gemmill::test
