// SPDX-License-Identifier: Apache-2.0
#include "planner/search/search.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

Problem square(index_t n, MemoryId home) {
    Problem p;
    p.m = p.n = p.k = n;
    p.alpha = p.beta = Factor::general;
    p.home = {home, home, home};
    return p;
}

TEST(Search, the_same_call_makes_the_same_plan) {
    const Machine machine = load_machine("hgx-a100-8");
    EXPECT_EQ(make_plan(square(8192, 0), machine, {}), make_plan(square(8192, 0), machine, {}));
}

TEST(Search, notes_what_it_tried_and_keeps_the_fastest) {
    const Machine machine = load_machine("hgx-a100-8");
    std::vector<Tried> tried;
    const Plan plan = make_plan(square(8192, 0), machine, {}, &tried);
    ASSERT_GT(tried.size(), 5U);
    for (const Tried& t : tried) {
        EXPECT_LE(plan.prediction.seconds, t.seconds * (1 + 2e-6)) << t.what;
        EXPECT_GT(t.steps, 0U);
        EXPECT_FALSE(t.what.empty());
    }
    EXPECT_TRUE(validate(plan).empty());
}

TEST(Search, a_longer_one_is_never_worse) {
    const Machine machine = load_machine("hgx-a100-8");
    Options longer;
    longer.search = "200ms";
    const double quick = make_plan(square(12288, 0), machine, {}).prediction.seconds;
    EXPECT_LE(make_plan(square(12288, 0), machine, longer).prediction.seconds, quick);
}

TEST(Search, imitating_policies_do_not_search) {
    const Machine machine = load_machine("hgx-a100-8");
    Options options;
    options.policy = "paralia";
    std::vector<Tried> tried;
    make_plan(square(4096, 0), machine, options, &tried);
    EXPECT_EQ(tried.size(), 1U);
}

/// The planner may leave devices idle, so more of them never make it slower.
TEST(Search, more_devices_are_not_slower) {
    const Machine machine = load_machine("hgx-a100-8");
    for (const index_t n : {1024, 4096, 16384})
        for (const MemoryId home : {0, 1}) {
            double before = 1e9;
            for (const char* const devices : {"0", "0,2", "0,2,4,6", "0-7"}) {
                Options options;
                options.devices = devices;
                const double now = make_plan(square(n, home), machine, options).prediction.seconds;
                EXPECT_LE(now, before * 1.02) << n << " at " << home << " on " << devices;
                before = now;
            }
        }
}

/// Not slower than any policy that it is compared with, on the machine they were measured on.
TEST(Search, best_is_the_best_of_all) {
    const Machine machine = load_machine("hgx-a100-8");
    for (const index_t n : {5120, 8192, 16384})
        for (const MemoryId home : {0, 1}) {
            const double best = make_plan(square(n, home), machine, {}).prediction.seconds;
            for (const Policy& policy : policies()) {
                Options options;
                options.policy = policy.name;
                EXPECT_LE(best, make_plan(square(n, home), machine, options).prediction.seconds)
                    << policy.name << ", n " << n << ", home " << home;
            }
        }
}

TEST(Search, a_bad_time_is_named) {
    Options options;
    options.search = "soon";
    try {
        make_plan(square(64, 0), load_machine("h200"), options);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(error.text().find("search"), std::string::npos) << error.text();
    }
}

/// Without links between devices moving takes far longer than computing where everything is.
TEST(Search, a_device_that_has_everything_works_alone_where_links_are_slow) {
    const Machine machine = synthetic_machine("gpu:8(mem=40GB,d=17T) pcie:12GB/s");
    for (const auto& [n, k] : {std::pair<index_t, index_t>{512, 262144}, {4096, 4096}}) {
        Problem p;
        p.m = p.n = n;
        p.k = k;
        p.alpha = p.beta = Factor::general;
        p.home = {1, 1, 1};
        EXPECT_EQ(make_plan(p, machine, Options{}).steps.size(), 1U) << n << " " << k;
    }
}

/// Each device reads its own slice of k from the host, instead of all reading A or B.
TEST(Search, k_is_split_where_devices_share_nothing_but_the_host) {
    const Machine machine = synthetic_machine("gpu:8(mem=40GB,d=17T) pcie:12GB/s");
    Problem p;
    p.m = p.n = 512;
    p.k = 262144;
    p.alpha = p.beta = Factor::general;
    const Plan plan = make_plan(p, machine, Options{});
    EXPECT_TRUE(validate(plan).empty());
    EXPECT_GT(statistics(plan).steps[static_cast<std::size_t>(Opcode::add)], 0);
    EXPECT_LT(plan.prediction.seconds, 1.2 * plan.prediction.bound_seconds);
}

/// Out of core is nearly as fast as with all memory.
TEST(Search, a_small_cap_costs_little) {
    const Machine machine = load_machine("h200");
    Problem p;
    p.m = p.n = p.k = 65536;
    p.alpha = p.beta = Factor::general;
    Options options;
    const double all = make_plan(p, machine, options).prediction.seconds;
    options.device_memory = std::int64_t{4} << 30;
    EXPECT_GT(all / make_plan(p, machine, options).prediction.seconds, 0.9);
}

}  // namespace
}  // namespace gemmill::test
