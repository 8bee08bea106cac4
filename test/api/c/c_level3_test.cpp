// SPDX-License-Identifier: Apache-2.0
// Level 3 in C: every function, and what bad arguments are called. Results of random calls are in
// level3_test.cpp.
#include <gtest/gtest.h>

#include <complex>
#include <string>

#include "api/level3_calls.hpp"

namespace gemmill::test {
namespace {

class CLevel3 : public ::testing::Test {
  protected:
    CLevel3() {
        const char* name = "devices";
        const char* value = "cpu:2";
        EXPECT_EQ(gemmill_create_with(&context, &name, &value, 1), GEMMILL_OK);
    }
    ~CLevel3() override { gemmill_destroy(context); }

    static ::testing::AssertionResult says(const std::string& words) {
        const std::string message = gemmill_message();
        if (message.find(words) != std::string::npos) return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure()
               << "'" << message << "' does not say '" << words << "'";
    }

    gemmill_context* context = nullptr;
};

TEST_F(CLevel3, every_function_is_right_on_devices_and_in_the_default_context) {
    Random random(3);
    for (const Routine routine : all_routines)
        for (gemmill_context* const where : {context, static_cast<gemmill_context*>(nullptr)})
            for (int i = 0; i < 6; ++i) {
                Level3Operands x(random_level3(random, routine, 25), random);
                ASSERT_EQ(call_c(where, x.call().layout, x.args()), GEMMILL_OK)
                    << gemmill_message();
                EXPECT_STREQ(gemmill_message(), "");
                ASSERT_TRUE(x.check());
            }
}

TEST_F(CLevel3, bad_arguments_are_named_as_the_caller_named_them) {
    double a[4] = {}, c[4] = {1, 2, 3, 4};
    const auto bad = GEMMILL_BAD_ARGUMENT;
    EXPECT_EQ(gemmill_dsymm(context, 'C', 'X', 'L', 2, 2, 1, a, 2, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("symm: side is no flag"));
    EXPECT_EQ(gemmill_dsymm(context, 'C', 'L', 'L', -1, 2, 1, a, 2, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("symm: m is -1"));
    EXPECT_EQ(gemmill_dsymm(context, 'R', 'L', 'L', -1, 2, 1, a, 2, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("symm: m is -1"));
    EXPECT_EQ(gemmill_dtrsm(context, 'C', 'L', 'U', 'N', 'Q', 2, 2, 1, a, 2, c, 2), bad);
    EXPECT_TRUE(says("trsm: diag is no flag"));
    EXPECT_EQ(gemmill_dtrmm(context, 'C', 'R', 'U', 'N', 'N', 2, 2, 1, a, 1, c, 2), bad);
    EXPECT_TRUE(says("trmm: lda is 1"));
    EXPECT_EQ(gemmill_dtrmm(context, 'C', 'R', 'U', 'N', 'N', 2, 2, 1, a, 2, c, 1), bad);
    EXPECT_TRUE(says("trmm: ldb is 1"));
    EXPECT_EQ(gemmill_dsyrk(context, 'C', 'L', 'N', 2, -3, 1, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("syrk: k is -3"));
    EXPECT_EQ(gemmill_dsyr2k(context, 'C', 'L', 'T', 2, 2, 1, a, 2, nullptr, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("syr2k: b is null"));
    EXPECT_EQ(gemmill_dgemmt(context, 'C', 'L', 'N', 'N', 2, 2, 1, a, 2, a, 2, 1, nullptr, 2), bad);
    EXPECT_TRUE(says("gemmt: c is null"));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(c[i], i + 1);
}

TEST_F(CLevel3, layouts_and_complex_flags_are_checked) {
    std::complex<double> a[4] = {}, c[4] = {};
    const std::complex<double> one = 1;
    const auto bad = GEMMILL_BAD_ARGUMENT;
    EXPECT_EQ(gemmill_zherk(context, '?', 'L', 'N', 2, 2, 1, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("layout"));
    EXPECT_EQ(gemmill_zherk(context, 'C', 'L', 'T', 2, 2, 1, a, 2, 1, c, 2), bad);
    EXPECT_TRUE(says("NoTrans or ConjTrans"));
    EXPECT_EQ(gemmill_zsyrk(context, 'C', 'L', 'C', 2, 2, &one, a, 2, &one, c, 2), bad);
    EXPECT_TRUE(says("NoTrans or Trans"));
    EXPECT_EQ(gemmill_zher2k(context, 'C', 'L', 'C', 2, 2, &one, a, 2, a, 2, 1, c, 2), GEMMILL_OK);
}

TEST_F(CLevel3, complex_factors_must_be_there) {
    std::complex<float> a[4] = {}, c[4] = {};
    const std::complex<float> one = 1;
    EXPECT_EQ(gemmill_chemm(context, 'C', 'L', 'L', 2, 2, nullptr, a, 2, a, 2, &one, c, 2),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_TRUE(says("alpha is null"));
    EXPECT_EQ(gemmill_chemm(context, 'C', 'L', 'L', 2, 2, &one, a, 2, a, 2, nullptr, c, 2),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_TRUE(says("beta is null"));
    EXPECT_EQ(gemmill_ctrsm(context, 'C', 'L', 'L', 'N', 'N', 2, 2, nullptr, a, 2, c, 2),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_TRUE(says("alpha is null"));
}

}  // namespace
}  // namespace gemmill::test
