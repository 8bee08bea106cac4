// SPDX-License-Identifier: Apache-2.0
// The record form: words, fields, quotes, comments and line numbers.
#include <gtest/gtest.h>

#include <random>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill {
namespace {

std::string error_of(std::string_view text) {
    try {
        (void)parse_records(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::parse);
        return error.text();
    }
    return {};
}

TEST(Record, WordsThenFields) {
    const auto records = parse_records("link a -> b bandwidth=24GB/s origin=\"a b\"\n");
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].words, (std::vector<std::string>{"link", "a", "->", "b"}));
    ASSERT_NE(records[0].find("bandwidth"), nullptr);
    EXPECT_EQ(*records[0].find("bandwidth"), "24GB/s");
    EXPECT_EQ(*records[0].find("origin"), "a b");
    EXPECT_EQ(records[0].find("nothing"), nullptr);
}

TEST(Record, EmptyLinesAndCommentsCountAsLines) {
    const auto records = parse_records("\n  # only this\n\ta x=1 # behind\r\n\nb");
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].line, 3);
    EXPECT_EQ(records[1].line, 5);
    EXPECT_EQ(records[0].fields.size(), 1U);
    EXPECT_TRUE(parse_records("").empty());
    EXPECT_TRUE(parse_records("\n\n# x").empty());
}

TEST(Record, ValuesMayHoldEqualsSigns) {
    EXPECT_EQ(*parse_records("a key=b=c")[0].find("key"), "b=c");
    EXPECT_EQ(*parse_records("a key=")[0].find("key"), "");
    EXPECT_EQ(*parse_records("a key=\"\"")[0].find("key"), "");
    EXPECT_EQ(parse_records("\"two words\"")[0].words[0], "two words");
}

TEST(Record, ADoubleArrowIsAWord) {
    const auto records = parse_records("link a => b x==>");
    EXPECT_EQ(records[0].words, (std::vector<std::string>{"link", "a", "=>", "b"}));
    EXPECT_EQ(*records[0].find("x"), "=>");
}

TEST(Record, FaultsNameTheLine) {
    EXPECT_EQ(error_of("a\nb x=\"open"), "line 2: a quote that does not end");
    EXPECT_EQ(error_of("b x=\"open\\"), "line 1: a quote that does not end");
    EXPECT_EQ(error_of("a x=1 x=2"), "line 1: 'x' is given twice");
    EXPECT_EQ(error_of("a x=1 word"), "line 1: word 'word' after a key=value");
    EXPECT_EQ(error_of("a =1"), "line 1: '=' without a key before it");
    EXPECT_EQ(error_of("a x=\"b\"c"), "line 1: text right behind a closing quote");
    EXPECT_THROW(fail(Record{.line = 7, .words = {}, .fields = {}}, "x"), Error);
}

TEST(Record, QuotedTextReadsBack) {
    for (const std::string& value :
         {std::string(), std::string("plain"), std::string("a b"), std::string("say \"x\" \\ y"),
          std::string("two\nlines\r\tand # = more"), std::string("\\n"), std::string("a\0b", 3)}) {
        const auto records = parse_records("r key=" + gemmill::quoted(value) + " last=1");
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(*records[0].find("key"), value);
        EXPECT_EQ(*records[0].find("last"), "1");
    }
    EXPECT_EQ(quoted("plain"), "plain");
}

TEST(Record, RandomTextQuotedReadsBack) {
    std::mt19937 random(2);
    std::uniform_int_distribution<int> byte(0, 255), length(0, 40);
    for (int i = 0; i < 2000; ++i) {
        std::string value;
        for (int n = length(random); n > 0; --n) value += static_cast<char>(byte(random));
        const auto records =
            parse_records(gemmill::quoted(value) + " key=" + gemmill::quoted(value));
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(records[0].words[0], value);
        EXPECT_EQ(*records[0].find("key"), value);
    }
}

TEST(Record, AnyBytesGiveRecordsOrAnError) {
    std::mt19937 random(3);
    const std::string alphabet = "ab=\"\\# \t\r\n[]{}->,0";
    std::uniform_int_distribution<std::size_t> letter(0, alphabet.size() - 1), length(0, 60);
    for (int i = 0; i < 5000; ++i) {
        std::string text;
        for (std::size_t n = length(random); n > 0; --n) text += alphabet[letter(random)];
        try {
            for (const Record& r : parse_records(text))
                EXPECT_TRUE(!r.words.empty() || !r.fields.empty());
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::parse) << text;
        }
    }
}

}  // namespace
}  // namespace gemmill
