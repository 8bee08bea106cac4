// SPDX-License-Identifier: Apache-2.0
// Whatever a machine or a plan says: what passes its check is planned and simulated in finite time,
// all else is an Error.
#include <gtest/gtest.h>

#include <cmath>

#include "gemmill/error.hpp"
#include "matrix/placement.hpp"
#include "model/engine.hpp"
#include "plan/sample.hpp"
#include "planner/planner.hpp"
#include "planner/policy.hpp"
#include "support/mutator.hpp"

namespace gemmill::test {
namespace {

void expect_finite(const Prediction& prediction, const std::string& text) {
    ASSERT_TRUE(std::isfinite(prediction.seconds) && prediction.seconds > 0) << text;
    ASSERT_TRUE(std::isfinite(prediction.bound_seconds)) << text;
    for (const double busy : prediction.device_busy) ASSERT_TRUE(std::isfinite(busy)) << text;
}

/// Runs f; true when it threw no Error, and anything else that it throws ends the test.
template <class F>
bool passes(F f) {
    try {
        f();
        return true;
    } catch (const Error& error) {
        EXPECT_LE(error.text().size(), 1000U) << error.text().substr(0, 2000);
        return false;
    }
}

const std::string machine_lines =
    "machine m issue=5us call=20us\nmemory host kind=host size=1GB\nmemory gpu[0-2] size=4MB\n"
    "device gpu[0-2] memory=gpu[0-2] queues=8 launch=1us bandwidth=1TB/s d=1T\n"
    "rates gpu[0-1] type=d edges=64,1024 ks=64,1024 flops=1e9,2e9,3e9,4e9\n"
    "resource bus[0-2] 9GB/s\nresource gpu[0-2].port 9GB/s\n"
    "link host -> gpu[0-2] bandwidth=8GB/s latency=3us via=bus[0-2]\n"
    "link gpu[0-2] -> host bandwidth=8GB/s\n"
    "link gpu[0-2] => gpu[0-2] bandwidth=8GB/s latency=1us run_overhead=9B via={from}.port\n"
    "library uncut call=3us issue=2us launch=1us host=50GB/s\n";

TEST(Fuzz, sound_machines_can_be_planned_for) {
    Mutator mutator(1);
    int sound = 0;
    for (int i = 0; i < affordable(20'000) && !HasFatalFailure(); ++i) {
        const std::string text = mutator.mutate(machine_lines);
        Machine machine;
        if (!passes([&] { machine = parse_machine(text); }) || !check(machine).empty()) continue;
        ++sound;
        Problem p;
        p.m = 70, p.n = 50, p.k = 90;
        p.beta = Factor::general;
        p.home = {0, 0, mutator.random().chance(50) ? 0 : 1};
        Options options;
        options.policy = mutator.random().pick(policies()).name;
        options.tile = mutator.random().chance(50) ? 0 : 32;
        passes([&] {
            const Plan plan = make_plan(p, machine, options);
            ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n" << text;
            expect_finite(plan.prediction, text);
        });
    }
    EXPECT_GT(sound, affordable(500));
}

TEST(Fuzz, valid_plans_can_be_simulated) {
    const std::string text = to_text(sample_plan());
    Mutator mutator(2);
    int valid = 0;
    for (int i = 0; i < affordable(12'000) && !HasFatalFailure(); ++i) {
        const std::string changed = mutator.mutate(text);
        passes([&] {
            const Plan plan = parse_plan(changed);
            if (!validate(plan).empty()) return;
            ++valid;
            expect_finite(predict(plan, simulate(plan)), changed);
        });
    }
    EXPECT_GT(valid, affordable(100));
}

TEST(Fuzz, options_are_taken_or_refused) {
    const Machine machine = synthetic_machine("gpu:6(mem=1GB,d=1T)");
    const char* const values[] = {"auto", "0,2-4",  "gpu1,gpu5", "best",   "250ms", "grid",
                                  "on",   "strips", "always",    "2.5GiB", "1024",  "h,gpu1,3"};
    Mutator mutator(3);
    int taken = 0;
    for (int i = 0; i < affordable(20'000); ++i) {
        const std::string value = mutator.mutate(mutator.random().pick(values));
        const OptionRow& row = mutator.random().pick(option_table());
        taken += passes([&] {
            Options options;
            options.set(row.name, value);
            ASSERT_EQ(Options(options).get(row.name).empty(), options.get(row.name).empty());
            options.check();
            resolve_policy(options);
            parse_devices(machine, options.devices);
        });
        passes([&] { parse_placement(machine, value); });
    }
    EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace gemmill::test
