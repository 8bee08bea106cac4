// SPDX-License-Identifier: Apache-2.0
// A context between calls: cached and adopted plans, reports, threads.
#include "gemmill/context.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <thread>

#include "api/calls.hpp"
#include "base/text.hpp"
#include "planner/planner.hpp"
#include "support/output.hpp"

namespace gemmill::test {
namespace {

Options devices(const char* text, index_t tile = 6) {
    Options options;
    options.devices = text;
    options.tile = tile;
    options.validate = true;
    return options;
}

Problem square(index_t size) {
    Problem p;
    p.m = p.n = p.k = size;
    return p;
}

GemmCase plain_case(index_t size) {
    GemmCase c;
    c.m = c.n = c.k = size;
    return c;
}

TEST(PlanCache, the_same_problem_gets_the_same_plan) {
    Context context(devices("cpu:2"));
    EXPECT_EQ(context.cached_plans(), 0U);
    const auto plan = context.plan(square(12));
    EXPECT_EQ(context.plan(square(12)), plan);
    EXPECT_EQ(context.cached_plans(), 1U);
    Problem other = square(12);
    other.beta = Factor::general;
    EXPECT_NE(context.plan(other), plan);
    EXPECT_EQ(context.cached_plans(), 2U);
}

TEST(PlanCache, calls_use_it) {
    Context context(devices("cpu:2"));
    std::vector<const Plan*> plans;
    std::vector<double> planning;
    context.observe([&](const Report& report) {
        plans.push_back(&report.plan);
        planning.push_back(report.plan_seconds);
    });
    Random random(1);
    for (int i = 0; i < 3; ++i) {
        Operands x(plain_case(12), random);
        call_gemm(context, x);
    }
    ASSERT_EQ(plans.size(), 3U);
    EXPECT_EQ(plans[0], plans[1]);
    EXPECT_EQ(plans[0], plans[2]);
    EXPECT_EQ(context.plan(square(12)).get(), plans[0]);
    EXPECT_GT(planning[0], 0);
    EXPECT_EQ(planning[1], 0);
}

TEST(PlanCache, the_plan_used_longest_ago_goes) {
    Options options = devices("cpu:1");
    options.plan_cache = 2;
    Context context(options);
    const auto first = context.plan(square(4));
    const auto second = context.plan(square(5));
    context.plan(square(4));
    context.plan(square(6));
    EXPECT_EQ(context.cached_plans(), 2U);
    EXPECT_EQ(context.plan(square(4)), first);
    EXPECT_NE(context.plan(square(5)), second);
}

TEST(PlanCache, may_keep_nothing) {
    Options options = devices("cpu:1");
    options.plan_cache = 0;
    Context context(options);
    Random random(2);
    Operands x(plain_case(9), random);
    call_gemm(context, x);
    EXPECT_TRUE(x.check());
    EXPECT_EQ(context.cached_plans(), 0U);
}

TEST(Adopt, a_parsed_plan_gives_the_same_bits) {
    Context context(devices("cpu:3"));
    Random random(3);
    Operands x(plain_case(20), random);
    call_gemm(context, x);
    const auto bits = x.c().elements();
    const auto made = context.plan(square(20));

    Context other(devices("cpu:3", 9));
    other.adopt(parse_plan(to_text(*made)));
    EXPECT_EQ(other.plan(square(20))->steps, made->steps);
    x.reset();
    call_gemm(other, x);
    EXPECT_EQ(x.c().elements(), bits);
}

TEST(Adopt, broken_and_foreign_plans_are_refused) {
    Context context(devices("cpu:2"));
    const Plan good = *context.plan(square(12));
    const auto code = [&](const Plan& plan) {
        try {
            context.adopt(plan);
        } catch (const Error& error) {
            return error.code();
        }
        return Code::ok;
    };
    EXPECT_EQ(code(good), Code::ok);
    Plan broken = good;
    broken.steps.pop_back();
    EXPECT_EQ(code(broken), Code::invalid_plan);
    EXPECT_EQ(code(Plan{}), Code::invalid_plan);
    Context three(devices("cpu:3"));
    EXPECT_EQ(code(*three.plan(square(12))), Code::invalid_plan);
    // What was there still serves.
    Random random(4);
    Operands x(plain_case(12), random);
    call_gemm(context, x);
    EXPECT_TRUE(x.check());
}

TEST(Reports, have_measured_and_predicted) {
    Options options = devices("cpu:2");
    options.verbose = true;
    Context context(options);
    int reports = 0;
    std::string line;
    context.observe([&](const Report& report) {
        ++reports;
        EXPECT_EQ(report.timeline.size(), report.plan.steps.size());
        EXPECT_GT(report.seconds, 0);
        EXPECT_GT(report.plan.prediction.seconds, 0);
        for (const StepTime& time : report.timeline) {
            EXPECT_LE(time.begin, time.end);
            EXPECT_LE(time.end, report.seconds);
        }
    });
    context.log([&](std::string_view text) { line = text; });
    Random random(5);
    Operands x(plain_case(15), random);
    EXPECT_EQ(output_of([&] { call_gemm(context, x); }), "");
    EXPECT_EQ(reports, 1);
    EXPECT_NE(line.find("dgemm 15 x 15 x 15"), std::string::npos) << line;
    EXPECT_NE(line.find("predicted"), std::string::npos) << line;
    context.observe({});
    context.log({});
    call_gemm(context, x);
    EXPECT_EQ(reports, 1);
}

TEST(Reports, a_trace_is_written) {
    const auto folder = std::filesystem::temp_directory_path() /
                        ("gemmill_context_test." + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    Options options = devices("cpu:1");
    options.trace = (folder / "call%.json").string();
    Context context(options);
    Random random(6);
    Operands x(plain_case(7), random);
    call_gemm(context, x);
    call_gemm(context, x);
    EXPECT_NE(read_file((folder / "call2.json").string()).find("traceEvents"), std::string::npos);
    std::filesystem::remove_all(folder);
}

/// Four threads, mixed problems; one context for all, or one each.
class Threads : public ::testing::TestWithParam<bool> {};

TEST_P(Threads, calls_are_right) {
    Options options = devices("cpu:2", 7);
    options.plan_cache = 5;
    Context shared(options);
    std::atomic<int> wrong = 0;
    const int calls = affordable(150);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::unique_ptr<Context> own;
            if (GetParam()) own = std::make_unique<Context>(options);
            Context& context = own ? *own : shared;
            Random random(t);
            for (int i = 0; i < calls; ++i) {
                DeviceBlocks blocks(context);
                Operands::Places places;
                if (random.chance(40))
                    places[1] = blocks.on(static_cast<DeviceId>(random.below(2)));
                Operands x(random_case(random, 20), random, places);
                call_gemm(context, x);
                wrong += x.check() ? 0 : 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(, Threads, ::testing::Bool(), [](const auto& own) {
    return own.param ? "one_context_each" : "one_context_for_all";
});

TEST(Context, moves) {
    Context first(devices("cpu:1"));
    const auto plan = first.plan(square(8));
    Context second(std::move(first));
    EXPECT_EQ(second.plan(square(8)), plan);
    EXPECT_EQ(second.options().devices, "cpu:1");
}

TEST(Context, bare_host) {
    Context context(devices("cpu"));
    EXPECT_EQ(context.machine().devices.size(), 1U);
    int here = 0;
    EXPECT_EQ(context.locate(&here), 0);
    context.release(&here);
    EXPECT_NO_THROW(context.plan(square(5)));
}

}  // namespace
}  // namespace gemmill::test
