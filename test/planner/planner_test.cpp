// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/text.hpp"
#include "planner/policy.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

template <class F>
Code code_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error.code();
    }
    return Code::ok;
}

TEST(ParseDevices, names_numbers_and_ranges) {
    const Machine m = synthetic_machine("gpu:6");
    using Ids = std::vector<DeviceId>;
    EXPECT_EQ(parse_devices(m, "auto"), (Ids{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(parse_devices(m, "all"), (Ids{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(parse_devices(m, "3"), Ids{3});
    EXPECT_EQ(parse_devices(m, "gpu3,gpu0"), (Ids{3, 0}));
    EXPECT_EQ(parse_devices(m, "0,2-4"), (Ids{0, 2, 3, 4}));
}

TEST(ParseDevices, says_what_is_wrong) {
    const Machine m = synthetic_machine("gpu:2");
    for (const char* text : {"2", "gpu2", "x", "0-2", "99999999999", "a-b"})
        EXPECT_EQ(code_of([&] { parse_devices(m, text); }), Code::no_device) << text;
    for (const char* text : {"", "0,", "-1", "1-", "0-1-1", "-", "1-0", "0,0", "0,gpu0"})
        EXPECT_EQ(code_of([&] { parse_devices(m, text); }), Code::bad_argument) << text;
    const auto text_of = [&](const char* text) {
        try {
            parse_devices(m, text);
        } catch (const Error& error) {
            return error.text();
        }
        return std::string();
    };
    EXPECT_EQ(text_of("1-0"), "devices: '1-0' goes backwards");
    EXPECT_EQ(text_of("0,1-"), "devices: '1-' is no device and no range");
    EXPECT_EQ(text_of("0-9"), "devices: machine gpu:2 has no device '9'");
}

TEST(MakePlan, what_cannot_be_meant_is_refused) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = p.k = 8;
    Options options;
    EXPECT_NO_THROW(make_plan(p, m, options));
    options.policy = "wild";
    EXPECT_EQ(code_of([&] { make_plan(p, m, options); }), Code::bad_argument);
    options = {};
    Problem bad = p;
    bad.m = -1;
    EXPECT_EQ(code_of([&] { make_plan(bad, m, options); }), Code::bad_argument);
    for (const Routine routine : {Routine::hemm, Routine::herk, Routine::her2k}) {
        bad = p;
        bad.routine = routine;
        EXPECT_EQ(code_of([&] { make_plan(bad, m, options); }), Code::bad_argument);
    }
    bad = p;
    bad.home[1] = 3;
    EXPECT_EQ(code_of([&] { make_plan(bad, m, options); }), Code::bad_argument);
    bad = p;
    bad.m = bad.n = bad.k = index_t{1} << 40;
    EXPECT_EQ(code_of([&] { make_plan(bad, m, options); }), Code::bad_argument);
    bad = p;
    bad.type = Type::b;
    EXPECT_EQ(code_of([&] { make_plan(bad, m, options); }), Code::no_device);
    options.devices = "5";
    EXPECT_EQ(code_of([&] { make_plan(p, m, options); }), Code::no_device);
}

/// A plan that no memory could hold is refused before it is made.
TEST(MakePlan, too_many_products_are_refused) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = p.k = 100'000'000;
    EXPECT_EQ(code_of([&] { make_plan(p, m, {}); }), Code::out_of_memory);
    Options options;
    options.tile = 1;
    EXPECT_EQ(code_of([&] { make_plan(p, m, options); }), Code::out_of_memory);
}

TEST(MakePlan, auto_leaves_out_devices_that_cannot_compute_the_type) {
    Machine m = synthetic_machine("gpu:3(mem=1GB,d=1T)");
    m.devices[1].peak.fill(0);
    Problem p;
    p.m = p.n = p.k = 300;
    EXPECT_EQ(make_plan(p, m, {}).devices, (std::vector<DeviceId>{0, 2}));
    Options options;
    options.devices = "all";
    EXPECT_EQ(code_of([&] { make_plan(p, m, options); }), Code::no_device);
}

TEST(MakePlan, empty_results_need_no_steps) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T)");
    Problem p;
    p.n = p.k = 5;
    const Plan plan = make_plan(p, m, {});
    EXPECT_TRUE(plan.steps.empty());
    EXPECT_TRUE(validate(plan).empty());
}

/// With room for everything a device fetches each tile it needs exactly once, and C comes back
/// once.
TEST(MakePlan, without_a_cap_every_tile_moves_once) {
    Random random(1);
    for (int i = 0; i < affordable(300); ++i) {
        const Machine m = synthetic_machine(
            fmt::format("gpu:{}(mem=1GB,d=1T,s=1T,c=1T,z=1T,h=1T,b=1T)", random.between(1, 5)));
        Problem p = random_problem(random, m, 60);
        p.home = {0, 0, 0};
        Options options;
        options.tile = random.between(5, 30);
        const Plan plan = make_plan(p, m, options);
        std::set<std::pair<MemoryId, TileId>> fetched, begun, needed;
        std::int64_t writes = 0;
        for (const Step& s : plan.steps) {
            if (s.op == Opcode::fetch) {
                EXPECT_TRUE(fetched.insert({memory_of(plan, s.out), s.out.tile}).second);
            }
            if (s.op == Opcode::gemm || s.op == Opcode::scale) {
                const MemoryId here = memory_of(plan, s.out);
                for (const Ref& in : s.in)
                    if (in.tile >= 0) needed.insert({here, in.tile});
                const bool first = begun.insert({here, s.out.tile}).second;
                if (first && s.keep != Scale::zero) needed.insert({here, s.out.tile});
            }
            if (s.op == Opcode::add) needed.insert({memory_of(plan, s.out), s.out.tile});
            if (s.op == Opcode::write) writes += bytes_moved(plan, s);
        }
        EXPECT_EQ(fetched, needed) << to_string(plan);
        EXPECT_EQ(writes, operand_bytes(p, operand::C));
    }
}

TEST(MakePlan, the_smallest_cap_holds_three_slots) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = p.k = 20;
    p.beta = Factor::one;
    Options options;
    options.device_memory = 3 * 256;
    const Plan plan = make_plan(p, m, options);
    EXPECT_TRUE(validate(plan).empty());
    EXPECT_LE(*std::ranges::max_element(plan.slab), 3 * 256);
    options.device_memory = 3 * 256 - 1;
    EXPECT_EQ(code_of([&] { make_plan(p, m, options); }), Code::out_of_memory);
}

/// A device with everything in its own memory multiplies in place.
TEST(MakePlan, all_local_is_one_step) {
    const Machine m = synthetic_machine("gpu:1(mem=1GB,d=1T)");
    Problem p;
    p.m = p.n = p.k = 3000;
    p.home = {1, 1, 1};
    const Plan plan = make_plan(p, m, {});
    ASSERT_EQ(plan.steps.size(), 1U);
    EXPECT_EQ(plan.steps[0].out.buffer, Ref::home);
    EXPECT_EQ(plan.slab, (std::vector<std::int64_t>{0, 0}));
}

TEST(Policies, have_names_and_help) {
    for (const Policy& policy : policies()) {
        EXPECT_FALSE(policy.help.empty());
        Options options;
        options.policy = policy.name;
        EXPECT_EQ(resolve_policy(options).name, policy.name);
    }
    Options options;
    options.policy = "";
    EXPECT_EQ(code_of([&] { resolve_policy(options); }), Code::bad_argument);
}

TEST(Policies, choices_can_be_overridden) {
    Options options;
    options.policy = "uncut";
    options.routing = "bandwidth";
    options.chain = "off";
    const Policy policy = resolve_policy(options);
    EXPECT_EQ(policy.routing, Routing::bandwidth);
    EXPECT_FALSE(policy.chain);
    EXPECT_EQ(policy.order, Sequence::eta);
    options.order = "sideways";
    EXPECT_EQ(code_of([&] { resolve_policy(options); }), Code::bad_argument);
}

/// Without overlap the steps of a device follow each other; it cannot be faster than with it.
TEST(Policies, naive_is_slower_and_moves_more) {
    const Machine m = synthetic_machine("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    Problem p;
    p.m = p.n = p.k = 4000;
    Options options;
    options.tile = 1000;
    const Plan best = make_plan(p, m, options);
    options.policy = "naive";
    const Plan naive = make_plan(p, m, options);
    EXPECT_GT(naive.prediction.seconds, best.prediction.seconds);
    EXPECT_GT(statistics(naive).moved.h2d, statistics(best).moved.h2d);
}

/// Two orders with two names are two orders.
TEST(Policies, fewest_does_not_look_at_arrivals) {
    const Machine m = load_machine("hgx-a100-8");
    Problem p;
    p.m = p.n = p.k = 8192;
    p.beta = Factor::general;
    Options options;
    options.policy = "uncut";
    options.tile = 1024;
    const Plan eta = make_plan(p, m, options);
    options.order = "fewest";
    const Plan fewest = make_plan(p, m, options);
    EXPECT_TRUE(validate(fewest).empty());
    EXPECT_NE(eta.steps, fewest.steps);
}

TEST(Policies, strips_that_cannot_be_are_refused_by_name) {
    const Machine m = load_machine("h200");
    Problem p;
    p.m = p.n = p.k = 8192;
    Options options;
    options.order = "strips";
    const auto message = [&] {
        try {
            make_plan(p, m, options);
        } catch (const Error& error) {
            return error.text();
        }
        return std::string();
    };
    for (const char* const policy : {"best", "uncut"}) {
        options.policy = policy;
        EXPECT_EQ(message(), "") << policy;
        options.device_memory = 64 << 20;
        EXPECT_TRUE(message().starts_with("order: there can be no strips")) << message();
        options.device_memory = 0;
        options.tile = 512;
        EXPECT_TRUE(message().starts_with("order: strips have no tile of 512")) << message();
        options.tile = 0;
    }
    p.alpha = Factor::zero;  // nothing is multiplied
    EXPECT_EQ(message(), "");
}

/// The printed plan of a tiny problem, so that a change of plans is seen.
TEST(Golden, gemm_on_two_devices) {
    Machine m = synthetic_machine("gpu:2(mem=1MB,d=1T,queues=1) pcie:10GB/s");
    Problem p;
    p.m = 4, p.n = 6, p.k = 3;
    p.alpha = Factor::general;
    p.beta = Factor::one;
    Options options;
    options.policy = "uncut";
    options.tile = 2;
    const std::string path = GEMMILL_TEST_DATA "/golden/gemm_2_devices.plan";
    EXPECT_EQ(to_text(make_plan(p, m, options)), read_file(path));
}

}  // namespace
}  // namespace gemmill::test
