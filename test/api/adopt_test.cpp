// SPDX-License-Identifier: Apache-2.0
// Plans from files, which may be anything: what a context adopts runs right, and all else is
// refused before anything runs.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "api/level3_calls.hpp"
#include "gemmill/error.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

Options two_devices() {
    Options options;
    options.devices = "cpu:2";
    options.tile = 7;
    options.search = "0s";
    return options;
}

/// Another number in the place of one of the text, or a line less, or twice.
std::string changed(std::string text, Random& random) {
    const auto below = [&](std::size_t count) {
        return static_cast<std::size_t>(random.below(static_cast<index_t>(count)));
    };
    const std::size_t begin = text.find_first_of("0123456789", below(text.size()));
    if (begin == std::string::npos) return text;
    if (random.chance(80)) {
        const std::size_t end = text.find_first_not_of("0123456789", begin);
        const index_t old = std::stoll(text.substr(begin, std::min<std::size_t>(end - begin, 15)));
        const index_t numbers[] = {0, 1, 2, old + 1, old - 1, old * 2, random.below(40), -1};
        return text.replace(begin, end - begin, std::to_string(random.pick(numbers)));
    }
    const std::size_t line = text.rfind('\n', begin) + 1, end = text.find('\n', begin) + 1;
    return random.chance(50) ? text.erase(line, end - line)
                             : text.insert(line, text.substr(line, end - line));
}

/// The plan that the text is, where the context takes it.
std::optional<Plan> adopted(Context& context, const std::string& text) {
    try {
        Plan plan = parse_plan(text);
        context.adopt(plan);
        return plan;
    } catch (const Error& error) {
        EXPECT_TRUE(error.code() == Code::parse || error.code() == Code::invalid_plan)
            << error.what();
        return std::nullopt;
    }
}

Scalar value_of(Factor factor) {
    return factor == Factor::zero  ? Scalar{}
           : factor == Factor::one ? Scalar{1, 0}
                                   : Scalar{1.5, 0};
}

/// A call of the problem, with matrices of the host.
Level3Call call_of(const Problem& p) {
    Level3Call c;
    Level3Args& x = c.args;
    x.routine = p.routine, x.type = p.type;
    x.side = p.side, x.uplo = p.uplo, x.diag = p.diag;
    x.op_a = p.op_a, x.op_b = p.op_b;
    x.m = p.m, x.n = p.n, x.k = p.k;
    x.alpha = value_of(p.alpha);
    x.beta = c.triangular() ? Scalar{} : value_of(p.beta);
    return c;
}

/// Runs the call that a plan is for, where it is one of ours: by this plan, and right.
void expect_runs(Context& context, const Plan& plan, Random& random) {
    const Problem p = problem_of(plan);
    const Level3Call call = call_of(p);
    const bool ours = std::max({p.m, p.n, p.k}) <= 200 && p.home == std::array<MemoryId, 3>{} &&
                      !is_short(p.type) && (is_complex(p.type) || !call.hermitian());
    if (!ours) return;
    Level3Operands x(call, random);
    context.observe([&](const Report& report) { EXPECT_EQ(report.plan.steps, plan.steps); });
    call_cpp(context, call.layout, x.args());
    context.observe({});
    ASSERT_TRUE(x.check()) << to_text(plan);
}

TEST(Adopt, what_was_changed_by_chance_runs_right_or_is_refused) {
    Random random(5);
    int taken = 0, refused = 0;
    for (const Routine routine : {Routine::gemm, Routine::syrk, Routine::symm, Routine::trmm,
                                  Routine::trsm, Routine::her2k}) {
        Context context(two_devices());
        Problem p;
        p.routine = routine;
        p.type = Type::z;
        p.m = p.n = p.k = 20;
        p.alpha = Factor::general;
        p.beta = routine >= Routine::trmm ? Factor::zero : Factor::general;
        const std::string good = to_text(*context.plan(p));
        for (int i = 0; i < affordable(400); ++i) {
            std::string text = changed(good, random);
            if (random.chance(30)) text = changed(text, random);
            const auto plan = adopted(context, text);
            ++(plan ? taken : refused);
            if (plan) expect_runs(context, *plan, random);
            if (::testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(taken, 10);
    EXPECT_GT(refused, 10);
}

/// A plan serves the problem that it names: calls whose matrices lie elsewhere do not run it.
TEST(Adopt, a_plan_for_matrices_elsewhere_is_not_run) {
    Random random(6);
    Context context(two_devices());
    Problem there;
    there.m = there.n = there.k = 20;
    there.home = {1, 1, 2};
    const auto plan = context.plan(there);
    Context other(two_devices());
    other.adopt(*plan);
    EXPECT_EQ(other.cached_plans(), 1U);
    Problem here = there;
    here.home = {0, 0, 0};
    EXPECT_NE(other.plan(here)->steps, plan->steps);
    expect_runs(other, *other.plan(here), random);
    EXPECT_EQ(other.cached_plans(), 2U);
}

/// More memory than this context may use, whatever the file says.
TEST(Adopt, a_plan_above_the_cap_is_refused) {
    Context context(two_devices());
    Problem p;
    p.m = p.n = p.k = 60;
    const Plan plan = *context.plan(p);
    Options capped = two_devices();
    capped.device_memory = plan.slab[1] - 1;
    Context small(capped);
    try {
        small.adopt(plan);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::invalid_plan);
        EXPECT_NE(error.text().find("cpu0"), std::string::npos) << error.what();
    }
    capped.device_memory = plan.slab[1] + plan.slab[2];
    EXPECT_NO_THROW(Context(capped).adopt(plan));
}

TEST(Adopt, needs_a_context_that_keeps_plans) {
    Options options = two_devices();
    options.plan_cache = 0;
    Context context(options);
    Problem p;
    p.m = p.n = p.k = 20;
    try {
        context.adopt(*context.plan(p));
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
    }
}

}  // namespace
}  // namespace gemmill::test
