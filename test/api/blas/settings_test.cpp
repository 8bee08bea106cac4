// SPDX-License-Identifier: Apache-2.0
#include "api/blas/settings.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::blas {
namespace {

Settings of(const char* name, const char* value) {
    Options options;
    options.set(name, value);
    return settings_of(options);
}

TEST(BlasSettings, defaults) {
    const Settings s = settings_of({});
    EXPECT_EQ(s.threshold, 1e8);
    EXPECT_FALSE(s.forces());
    EXPECT_FALSE(s.reports);
    EXPECT_EQ(s.options, Options{});
}

TEST(BlasSettings, threshold) {
    EXPECT_EQ(of("threshold", "0").threshold, 0);
    EXPECT_EQ(of("threshold", "2.5e9").threshold, 2.5e9);
    EXPECT_THROW(of("threshold", "-1"), Error);
    EXPECT_THROW(of("threshold", "much"), Error);
}

TEST(BlasSettings, forced_routines) {
    for (const char* all : {"1", "on"}) {
        const Settings s = of("force_tiled", all);
        EXPECT_TRUE(s.is_forced(Routine::gemm));
        EXPECT_TRUE(s.is_forced(Routine::trsm));
        EXPECT_EQ(s.options.devices, "cpu:3");
        EXPECT_GT(s.options.tile, 0);
    }
    const Settings some = of("force_tiled", "gemm,syr2k");
    EXPECT_TRUE(some.is_forced(Routine::syr2k));
    EXPECT_FALSE(some.is_forced(Routine::syrk));
    EXPECT_FALSE(of("force_tiled", "off").forces());
    EXPECT_THROW(of("force_tiled", "gemm,dsyrk"), Error);
    Options options;
    options.force_tiled = "1", options.devices = "cpu:2", options.tile = 3;
    EXPECT_EQ(settings_of(options).options.devices, "cpu:2");
    EXPECT_EQ(settings_of(options).options.tile, 3);
}

TEST(BlasSettings, forced_calls_keep_many_plans_unless_told_otherwise) {
    Options options;
    options.force_tiled = "1";
    EXPECT_EQ(settings_of(options).options.plan_cache, 4096);
    options.plan_cache = 3;
    EXPECT_EQ(settings_of(options).options.plan_cache, 3);
    options.plan_cache = 0;
    EXPECT_EQ(settings_of(options).options.plan_cache, 0);
}

TEST(BlasSettings, words_that_are_none_are_named) {
    const auto text = [](const char* name, const char* value) {
        try {
            of(name, value);
            return std::string("nothing");
        } catch (const Error& error) {
            return error.text();
        }
    };
    EXPECT_NE(text("devices", "foo").find("'foo'"), std::string::npos);
    EXPECT_NE(text("policy", "zzz").find("'zzz'"), std::string::npos);
    EXPECT_NE(text("order", "up").find("'up'"), std::string::npos);
    EXPECT_EQ(text("devices", "cuda:0,1"), "nothing");
}

TEST(BlasSettings, reports) {
    EXPECT_TRUE(of("report", "1").reports);
    EXPECT_TRUE(of("report", "calls.txt").reports);
    EXPECT_FALSE(of("report", "0").reports);
}

}  // namespace
}  // namespace gemmill::blas
