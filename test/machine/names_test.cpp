// SPDX-License-Identifier: Apache-2.0
// Plain names, bracketed lists and their lengths.
#include "machine/names.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

using List = std::vector<std::string>;

TEST(Names, PlainNames) {
    for (const char* name : {"gpu0", "host.read", "a_b-c+d:e/f@g", "7"})
        EXPECT_TRUE(is_plain_name(name)) << name;
    for (const char* name :
         {"", "a b", "a[0]", "{from}", "a,b", "a=b", "a#b", "a\"b", "a\nb", "->"})
        EXPECT_FALSE(is_plain_name(name)) << name;
    EXPECT_TRUE(is_plain_name(std::string(256, 'x')));
    EXPECT_FALSE(is_plain_name(std::string(257, 'x')));
}

TEST(Names, ExpandLists) {
    EXPECT_EQ(expand("gpu"), List{"gpu"});
    EXPECT_EQ(expand("gpu[0-2]"), (List{"gpu0", "gpu1", "gpu2"}));
    EXPECT_EQ(expand("gpu[4,2,4]"), (List{"gpu4", "gpu2", "gpu4"}));
    EXPECT_EQ(expand("s[0-1x2].up"), (List{"s0.up", "s0.up", "s1.up", "s1.up"}));
    EXPECT_EQ(expand("[1x3,2]"), (List{"1", "1", "1", "2"}));
    EXPECT_EQ(expand("n[0-1].g[2-3]"), (List{"n0.g2", "n1.g3"}));
    EXPECT_EQ(expand("n[5].g[2-3]"), (List{"n5.g2", "n5.g3"}));
    EXPECT_EQ(expand(""), List{""});
    EXPECT_EQ(expand("x[0-4095]").size(), longest_list);
}

TEST(Names, SplitKeepsBracketsTogether) {
    EXPECT_EQ(split_list("a,b[0,1],c"), (List{"a", "b[0,1]", "c"}));
    EXPECT_EQ(split_list("a]b,c"), (List{"a]b", "c"}));
    EXPECT_EQ(split_list(""), List{""});
}

TEST(Names, CommonLength) {
    EXPECT_EQ(common_length({}), 1U);
    EXPECT_EQ(common_length({{"a"}, {"b", "c"}, {"d", "e"}}), 2U);
    EXPECT_THROW((void)common_length({{"a", "b", "c"}, {"b", "c"}}), Error);
}

TEST(Names, IdsFollowTheOrder) {
    Names names("memory");
    names.add("b");
    names.add("a");
    EXPECT_EQ(names.at("b"), 0);
    EXPECT_EQ(names.at("a"), 1);
    EXPECT_THROW(names.add("a"), Error);
    EXPECT_THROW(names.add("a b"), Error);
    EXPECT_THROW((void)names.at("c"), Error);
}

}  // namespace
}  // namespace gemmill
