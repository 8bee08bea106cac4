// SPDX-License-Identifier: Apache-2.0
// Numbers with units: what is read, what is refused, and what is printed.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

/// The message of the Error(parse) that f throws; empty when it throws none.
template <class F>
std::string parse_error(F f) {
    try {
        f();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::parse);
        return error.text();
    }
    return {};
}

TEST(Text, BandwidthTakesPrefixAndUnit) {
    EXPECT_EQ(parse_bytes_per_second("24GB/s", "x"), 24e9);
    EXPECT_EQ(parse_bytes_per_second("1.56TB/s", "x"), 1.56e12);
    EXPECT_EQ(parse_bytes_per_second("24 GB/s", "x"), 24e9);
    EXPECT_EQ(parse_bytes_per_second("1000", "x"), 1000);
    EXPECT_EQ(parse_bytes_per_second("1GiB/s", "x"), 1073741824.0);
    EXPECT_EQ(parse_bytes_per_second("2PB/s", "x"), 2e15);
}

TEST(Text, BytesAreWholeAndFitIn64Bits) {
    EXPECT_EQ(parse_bytes("4GiB", "x"), std::int64_t{4} << 30);
    EXPECT_EQ(parse_bytes("1500B", "x"), 1500);
    EXPECT_EQ(parse_bytes("64k", "x"), 64000);
    EXPECT_EQ(parse_bytes("64KiB", "x"), 65536);
    EXPECT_EQ(parse_bytes("0", "x"), 0);
    EXPECT_EQ(parse_bytes("1.5MB", "x"), 1500000);
    EXPECT_THROW(parse_bytes("10000PB", "x"), Error);
}

TEST(Text, SecondsTakeTheirOwnPrefixes) {
    EXPECT_EQ(parse_seconds("10us", "x"), 10e-6);
    EXPECT_EQ(parse_seconds("3 ms", "x"), 3e-3);
    EXPECT_EQ(parse_seconds("7ns", "x"), 7e-9);
    EXPECT_EQ(parse_seconds("2s", "x"), 2);
    EXPECT_EQ(parse_seconds("0.5", "x"), 0.5);
}

TEST(Text, FlopsMayNameTheirUnit) {
    EXPECT_EQ(parse_flops("17.2T", "x"), 17.2e12);
    EXPECT_EQ(parse_flops("17.2TFLOP/s", "x"), 17.2e12);
    EXPECT_EQ(parse_flops("544G", "x"), 544e9);
    EXPECT_EQ(parse_flops("0", "x"), 0);
}

TEST(Text, BadQuantitiesNameWhatTheyAreAndTheText) {
    for (const char* text : {"", "GB/s", "24GB", "24QB/s", "-1GB/s", "nan", "inf", "1e999",
                             "24GB/sx", "0x10", "1,5GB/s", " 24GB/s"}) {
        const std::string message =
            parse_error([&] { (void)parse_bytes_per_second(text, "link bandwidth"); });
        EXPECT_NE(message.find("link bandwidth"), std::string::npos) << text;
        EXPECT_NE(message.find(std::string("'") + text + "'"), std::string::npos) << text;
    }
    for (const char* text : {"", "ten", "-1us", "1h", "infs"})
        EXPECT_THROW(parse_seconds(text, "x"), Error) << text;
    for (const char* text : {"", "1GB/s", "-5", "12GBB", "nan"})
        EXPECT_THROW(parse_bytes(text, "x"), Error) << text;
    for (const char* text : {"", "1TFLOPS", "T", "-1T"})
        EXPECT_THROW(parse_flops(text, "x"), Error) << text;
}

TEST(Text, IntegersAreExactAndChecked) {
    EXPECT_EQ(parse_integer("9223372036854775807", "x"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parse_integer("-3", "x"), -3);
    for (const char* text : {"", "1.0", "9223372036854775808", "0x1", "1 ", "+-1", "one"})
        EXPECT_THROW(parse_integer(text, "x"), Error) << text;
}

TEST(Text, RealsAndFlags) {
    EXPECT_EQ(parse_real("-1.5e3", "x"), -1500);
    EXPECT_THROW(parse_real("1.5x", "x"), Error);
    EXPECT_THROW(parse_real("", "x"), Error);
    for (const char* text : {"1", "on", "yes", "true"}) EXPECT_TRUE(parse_flag(text, "x"));
    for (const char* text : {"0", "off", "no", "false"}) EXPECT_FALSE(parse_flag(text, "x"));
    EXPECT_THROW(parse_flag("", "x"), Error);
    EXPECT_THROW(parse_flag("maybe", "x"), Error);
}

TEST(Text, PeopleGetThreeFigures) {
    EXPECT_EQ(human_bytes(1.07e9), "1.07 GB");
    EXPECT_EQ(human_bytes(512), "512 B");
    EXPECT_EQ(human_bytes(0), "0 B");
    EXPECT_EQ(human_bytes(999.9e6), "1.00 GB");
    EXPECT_EQ(human_bandwidth(24e9), "24.0 GB/s");
    EXPECT_EQ(human_flops(17.2e12), "17.2 TFLOP/s");
    EXPECT_EQ(human_flops(544e9), "544 GFLOP/s");
    EXPECT_EQ(human_seconds(12.3e-3), "12.3 ms");
    EXPECT_EQ(human_seconds(10e-6), "10 us");
    EXPECT_EQ(human_seconds(2.5), "2.5 s");
    EXPECT_EQ(human_seconds(0), "0 s");
}

TEST(Text, ExactNumbersReadBackTheSame) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-1000, 1000);
    for (int i = 0; i < 2000; ++i) {
        const double value = std::ldexp(mantissa(random), exponent(random));
        EXPECT_EQ(parse_real(exact(value), "x"), value) << exact(value);
    }
    for (const double value : {0.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308})
        EXPECT_EQ(parse_real(exact(value), "x"), value);
}

TEST(Text, WhatIsShownIsShortAndHarmless) {
    EXPECT_EQ(shown("a b"), "'a b'");
    EXPECT_EQ(shown(""), "''");
    EXPECT_EQ(shown("a\nb\tc"), "'a\\nb\\tc'");
    EXPECT_EQ(shown(std::string_view("\x1b[31m\0\x7f", 7)), "'\\x1b[31m\\x00\\x7f'");
    EXPECT_EQ(shown("gr\xc3\xbc\xc3\x9f"
                    "e"),
              "'gr\xc3\xbc\xc3\x9f"
              "e'");
    EXPECT_EQ(shown("\xc2\x9b"
                    "2J"),
              "'\\xc2\\x9b2J'");  // a control character, too
    EXPECT_EQ(shown("\xff\xc3"), "'\\xff\\xc3'");
    EXPECT_EQ(shown(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
    EXPECT_EQ(shown(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
    EXPECT_EQ(shown("\xc3\xbc\xc3\xbc\xc3\xbc", 2), "'\xc3\xbc\xc3\xbc...'");
    EXPECT_LE(shown(std::string(2'000'000, '\x01')).size(), 300U);
}

TEST(Text, ErrorsOfNumbersStayShort) {
    for (const auto parse : {+[](std::string_view t) { (void)parse_integer(t, "x"); },
                             +[](std::string_view t) { (void)parse_real(t, "x"); },
                             +[](std::string_view t) { (void)parse_bytes(t, "x"); },
                             +[](std::string_view t) { (void)parse_seconds(t, "x"); },
                             +[](std::string_view t) { (void)parse_flag(t, "x"); }})
        try {
            parse(std::string(2'000'000, 'y'));
            ADD_FAILURE();
        } catch (const Error& error) {
            EXPECT_LE(error.text().size(), 200U);
        }
}

TEST(Text, OfManyFaultsTheFirstOnesAreTold) {
    EXPECT_EQ(first_of({}), "");
    EXPECT_EQ(first_of({"a", "b", "c"}), "a; b; c");
    EXPECT_EQ(first_of({"a", "b", "c", "d", "e"}), "a; b; c; and 2 more");
}

TEST(Text, SplitAndJoinAreInverse) {
    EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
    EXPECT_EQ(split("", ','), std::vector<std::string>{""});
    EXPECT_EQ(join(split("a,b,,c", ','), ","), "a,b,,c");
    EXPECT_EQ(join({}, ", "), "");
}

}  // namespace
}  // namespace gemmill
