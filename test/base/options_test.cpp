// SPDX-License-Identifier: Apache-2.0
// The table of options and the environment variables it makes.
#include "gemmill/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// Sets a variable for one test.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

std::string environment_error() {
    try {
        (void)Options::from_environment();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::parse);
        return error.text();
    }
    return {};
}

TEST(Options, EveryRowReadsBackWhatItPrints) {
    const Options defaults;
    Options copy;
    for (const OptionRow& row : option_table()) {
        copy.set(row.name, defaults.get(row.name));
        EXPECT_FALSE(row.help.empty()) << row.name;
        EXPECT_FALSE(name_of(row.kind).empty());
    }
    EXPECT_EQ(copy, defaults);
}

TEST(Options, NamesAreUniqueAndMakeVariables) {
    std::set<std::string> names;
    for (const OptionRow& row : option_table())
        EXPECT_TRUE(names.insert(environment_name(row)).second) << row.name;
    EXPECT_EQ(names.count("GEMMILL_DEVICE_MEMORY"), 1U);
}

TEST(Options, SetReadsEachKind) {
    Options options;
    options.set("devices", "cpu:4");
    options.set("tile", "512");
    options.set("device_memory", "4GiB");
    options.set("validate", "on");
    EXPECT_EQ(options.devices, "cpu:4");
    EXPECT_EQ(options.tile, 512);
    EXPECT_EQ(options.device_memory, std::int64_t{4} << 30);
    EXPECT_TRUE(options.validate);
    EXPECT_EQ(options.get("validate"), "on");
    EXPECT_EQ(options.get("tile"), "512");
}

TEST(Options, BadValuesNameTheOption) {
    Options options;
    for (const auto& [name, value] :
         {std::pair{"tile", "-1"}, std::pair{"tile", "big"}, std::pair{"device_memory", "4 apples"},
          std::pair{"validate", "perhaps"}}) {
        try {
            options.set(name, value);
            ADD_FAILURE() << name << "=" << value << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::parse);
            EXPECT_NE(error.text().find(name), std::string::npos) << error.text();
        }
    }
    EXPECT_EQ(options, Options());
    EXPECT_THROW(options.set("colour", "red"), Error);
    EXPECT_THROW((void)options.get("colour"), Error);
}

TEST(Options, EnvironmentOverridesDefaults) {
    const Variable tile("GEMMILL_TILE", "768");
    const Variable memory("GEMMILL_DEVICE_MEMORY", "1GB");
    const Variable verbose("GEMMILL_VERBOSE", "yes");
    const Options options = Options::from_environment();
    EXPECT_EQ(options.tile, 768);
    EXPECT_EQ(options.device_memory, 1'000'000'000);
    EXPECT_TRUE(options.verbose);
    EXPECT_EQ(options.policy, Options().policy);
}

TEST(Options, OtherVariablesAreLeftAlone) {
    const Variable other("GEMMILLX_TILE", "x");
    EXPECT_EQ(environment_error(), "");
}

TEST(Options, BadEnvironmentNamesTheVariable) {
    {
        const Variable tile("GEMMILL_TILE", "wide");
        EXPECT_EQ(environment_error(), "GEMMILL_TILE: 'wide' is not a whole number");
    }
    {
        const Variable tile("GEMMILL_TILE", "-1");
        EXPECT_EQ(environment_error(), "GEMMILL_TILE: -1");
    }
    {
        const Variable memory("GEMMILL_DEVICE_MEMORY", std::string(100'000, 'x').c_str());
        EXPECT_EQ(environment_error(), "GEMMILL_DEVICE_MEMORY: '" + std::string(60, 'x') +
                                           "...' is not a size such as 4GiB");
    }
    {
        const Variable typo("GEMMILL_TILES", "512");
        EXPECT_NE(environment_error().find("GEMMILL_TILES"), std::string::npos);
    }
    EXPECT_EQ(environment_error(), "");
}

TEST(Options, CheckNamesAFieldThatSetWouldNotTake) {
    Options options;
    EXPECT_NO_THROW(options.check());
    options.tile = -1;
    try {
        options.check();
        FAIL() << "a negative tile was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        EXPECT_NE(error.text().find("tile"), std::string::npos) << error.text();
    }
    EXPECT_THROW(options.set("queues", "1000000001"), Error);
}

}  // namespace
}  // namespace gemmill
