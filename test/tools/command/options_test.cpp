// SPDX-License-Identifier: Apache-2.0
// Where options come from, and that errors say so.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "command/flags.hpp"
#include "gemmill/error.hpp"
#include "plans/make.hpp"
#include "support/error_of.hpp"

namespace gemmill::command {
namespace {

using test::error_of;

CallFlags flags_of() {
    CallFlags f;
    f.machine = "gpu:2(mem=1GB,d=1T)";
    f.m = "100";
    return f;
}

/// A variable for the time of a test.
struct Variable {
    Variable(const char* n, const char* value) : name(n) { ::setenv(n, value, 1); }
    ~Variable() { ::unsetenv(name); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    const char* name;
};

TEST(CallOptions, the_environment_comes_first_then_set_then_the_flag) {
    const Variable tile("GEMMILL_TILE", "10"), devices("GEMMILL_DEVICES", "cpu:3");
    CallFlags f = flags_of();
    EXPECT_EQ(options_of(f).tile, 10);
    EXPECT_EQ(options_of(f).devices, "auto");  // that spoke of this host
    f.set = {"tile=20", "device_memory=1MB"};
    EXPECT_EQ(options_of(f).tile, 20);
    EXPECT_EQ(options_of(f).device_memory, 1'000'000);
    f.tile = "30", f.cap = "2KiB", f.devices = "1";
    EXPECT_EQ(options_of(f).tile, 30);
    EXPECT_EQ(options_of(f).device_memory, 2048);
    EXPECT_EQ(options_of(f).devices, "1");
    f.machine.clear(), f.devices.clear();
    EXPECT_EQ(options_of(f).devices, "cpu:3");
}

struct Named {
    const char* option;
    const char* bad;
    const char* text;
};
constexpr Named named_options[] = {
    {"policy", "worst", "unknown policy 'worst'"},
    {"search", "long", "'long' is not a time"},
    {"spread", "thin", "'thin' is none of"},
    {"routing", "best", "'best' is none of"},
    {"chain", "maybe", "'maybe' is none of on, off"},
    {"order", "law", "'law' is none of"},
    {"late_c", "soon", "'soon' is none of"},
    {"caching", "some", "'some' is none of"},
    {"overlap", "1", "'1' is none of"},
    {"tile", "-1", "-1"},
    {"device_memory", "lots", "'lots' is not a size"},
    {"queues", "1e9", "'1e9' is not a whole number"},
    {"validate", "maybe", "'maybe' is not on or off"},
    {"machine", "/nonexistent", "unknown machine '/nonexistent'"},
};

std::string variable_of(std::string_view option) {
    std::string name = "GEMMILL_";
    for (const char c : option)
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

TEST(CallOptions, a_bad_value_names_the_variable_or_the_flag_it_came_from) {
    for (const Named& one : named_options) {
        CallFlags f = flags_of();
        const std::string name = variable_of(one.option);
        if (name == "GEMMILL_MACHINE") f.machine.clear();  // the machine that is used instead
        {
            const Variable variable(name.c_str(), one.bad);
            const std::string text = error_of([&] { options_of(f); }).text();
            EXPECT_TRUE(text.starts_with(name + ": " + one.text)) << text;
        }
        f.set = {std::string(one.option) + "=" + one.bad};
        const std::string text = error_of([&] { options_of(f); }).text();
        EXPECT_TRUE(text.starts_with(std::string("--set: ") + one.option + ": " + one.text))
            << text;
    }
}

TEST(CallOptions, flags_of_their_own_are_named) {
    const std::pair<std::string CallFlags::*, const char*> own[] = {
        {&CallFlags::policy, "--policy: "},   {&CallFlags::cap, "--cap: "},
        {&CallFlags::tile, "--tile: "},       {&CallFlags::search, "--search: "},
        {&CallFlags::devices, "--devices: "},
    };
    for (const auto& [field, start] : own) {
        CallFlags f = flags_of();
        f.*field = "9-x";
        const std::string text = error_of([&] { plan_of(f); }).text();
        EXPECT_TRUE(text.starts_with(start)) << text;
    }
    CallFlags f = flags_of();
    f.set = {"tile"};
    EXPECT_EQ(error_of([&] { options_of(f); }).text(), "--set: 'tile'");
    f.set = {"tiles=3"};
    EXPECT_TRUE(
        error_of([&] { options_of(f); }).text().starts_with("--set: unknown option 'tiles'"));
}

TEST(CallOptions, the_last_to_speak_is_blamed) {
    const Variable chain("GEMMILL_CHAIN", "on"), tile("GEMMILL_TILE", "5");
    CallFlags f = flags_of();
    EXPECT_EQ(source_of(f, "chain"), "GEMMILL_CHAIN");
    EXPECT_EQ(source_of(f, "order"), "");
    f.set = {"chain=off"};
    EXPECT_EQ(source_of(f, "chain"), "--set");
    f.tile = "7";
    EXPECT_EQ(source_of(f, "tile"), "--tile");
    f.cap = "1GB";
    EXPECT_EQ(source_of(f, "device_memory"), "--cap");
}

TEST(CallOptions, the_machine_of_this_node_is_planned_for) {
    const Variable machine("GEMMILL_MACHINE", "gpu:3(mem=1GB,d=1T)");
    CallFlags f = flags_of();
    f.machine.clear();
    EXPECT_EQ(plan_of(f).plan.machine.devices.size(), 3U);
    f.machine = "gpu:2(mem=1GB,d=1T)";
    EXPECT_EQ(plan_of(f).plan.machine.devices.size(), 2U);
    const Variable other("GEMMILL_MACHINE", "/nonexistent");
    EXPECT_EQ(plan_of(f).plan.machine.devices.size(), 2U);
}

}  // namespace
}  // namespace gemmill::command
