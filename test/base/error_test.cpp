// SPDX-License-Identifier: Apache-2.0
// What an Error carries.
#include "gemmill/error.hpp"

#include <gtest/gtest.h>

namespace gemmill {
namespace {

TEST(Error, KeepsItsParts) {
    const Error error(Code::bad_argument, "lda is 3", "lda >= m");
    EXPECT_EQ(error.code(), Code::bad_argument);
    EXPECT_EQ(error.text(), "lda is 3");
    EXPECT_EQ(error.condition(), "lda >= m");
    EXPECT_STREQ(error.what(), "bad argument: lda is 3 (needs lda >= m)");
    EXPECT_NE(error.place().find("error_test.cpp:"), std::string::npos);
}

TEST(Error, WithoutConditionSaysOnlyTheText) {
    EXPECT_STREQ(Error(Code::io, "no disk").what(), "input/output error: no disk");
}

TEST(Error, RequireThrowsOnlyWhenItDoesNotHold) {
    EXPECT_NO_THROW(require(true, Code::internal, "x", "y"));
    EXPECT_THROW(require(false, Code::internal, "x", "y"), Error);
}

TEST(Error, EveryCodeHasItsName) {
    for (int a = 0; a <= 8; ++a)
        for (int b = 0; b < a; ++b)
            EXPECT_STRNE(name_of(static_cast<Code>(a)), name_of(static_cast<Code>(b)));
}

}  // namespace
}  // namespace gemmill
