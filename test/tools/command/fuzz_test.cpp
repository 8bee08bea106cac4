// SPDX-License-Identifier: Apache-2.0
// Whatever stands behind the flags of a call: a plan, or an Error that is short.
#include <gtest/gtest.h>

#include <cmath>

#include "command/flags.hpp"
#include "gemmill/error.hpp"
#include "plans/make.hpp"
#include "support/mutator.hpp"

namespace gemmill::command {
namespace {

using test::Mutator;

CallFlags small_call() {
    CallFlags f;
    f.machine = "gpu:3(mem=1MB,d=1T,z=1T) nvlink:50GB/s pcie:9GB/s(shared=2) host:9MB";
    f.m = "60", f.n = "40", f.k = "50";
    f.alpha = "0.5", f.beta = "-1.25";
    f.at = "h,1,h", f.devices = "0-2", f.policy = "uncut", f.cap = "100kB", f.tile = "16";
    f.search = "1ms", f.set = {"queues=2"};
    return f;
}

constexpr std::string CallFlags::*texts[] = {
    &CallFlags::machine, &CallFlags::routine, &CallFlags::type,   &CallFlags::trans,
    &CallFlags::at,      &CallFlags::side,    &CallFlags::uplo,   &CallFlags::diag,
    &CallFlags::m,       &CallFlags::n,       &CallFlags::k,      &CallFlags::alpha,
    &CallFlags::beta,    &CallFlags::devices, &CallFlags::policy, &CallFlags::cap,
    &CallFlags::tile,    &CallFlags::search};

TEST(FlagsFuzz, a_call_is_planned_or_refused) {
    Mutator mutator(1);
    int planned = 0;
    for (int i = 0; i < test::affordable(4000); ++i) {
        CallFlags f = small_call();
        for (index_t n = mutator.random().between(1, 2); n > 0; --n) {
            std::string& text = f.*mutator.random().pick(texts);
            text = mutator.mutate(text);
        }
        if (mutator.random().chance(10)) f.set[0] = mutator.mutate(f.set[0]);
        try {
            const MadePlan made = plan_of(f);
            ASSERT_TRUE(std::isfinite(made.plan.prediction.seconds));
            ++planned;
        } catch (const Error& error) {
            ASSERT_LE(error.text().size(), 1000U);
        }
    }
    EXPECT_GT(planned, test::affordable(400));
}

TEST(FlagsFuzz, scalars_are_finite_or_refused) {
    Mutator mutator(2);
    for (int i = 0; i < test::affordable(20'000); ++i) {
        const auto type = static_cast<Type>(mutator.random().below(type_count));
        try {
            const Scalar value = scalar_of(mutator.mutate("1.5,-2"), "--alpha", type);
            ASSERT_TRUE(std::isfinite(value.re) && std::isfinite(value.im));
        } catch (const Error& error) {
            ASSERT_TRUE(error.text().starts_with("--alpha: ")) << error.text();
        }
    }
}

}  // namespace
}  // namespace gemmill::command
