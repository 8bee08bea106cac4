// SPDX-License-Identifier: Apache-2.0
// Batches through the C interface, on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "gemmill/gemmill.h"
#include "support/batch_case.hpp"

namespace gemmill::test {
namespace {

TEST(BatchC, all_entry_points) {
    const float a[] = {1, 2}, b[] = {3, 4}, two = 2, one = 1;
    float c[] = {1, 1};
    EXPECT_EQ(gemmill_gemm_strided(nullptr, 's', 'c', 'n', 't', 1, 1, 1, &two, a, 1, 1, b, 1, 1,
                                   &one, c, 1, 1, 2, nullptr),
              GEMMILL_OK);
    EXPECT_EQ(c[0], 7);
    EXPECT_EQ(c[1], 17);
    const void* pa[] = {a, a + 1};
    const void* pb[] = {b, b + 1};
    void* pc[] = {c, c + 1};
    EXPECT_EQ(gemmill_gemm_pointers(nullptr, 'S', 'R', 'N', 'C', 1, 1, 1, &two, pa, 1, pb, 1, &one,
                                    pc, 1, 2, nullptr),
              GEMMILL_OK);
    EXPECT_EQ(c[1], 33);
    const int64_t ones[] = {1, 1}, bad[] = {1, 0}, sizes[] = {1, 1};
    const float factors[] = {0, 1}, zeros[] = {0, 0};
    const gemmill_batch_options checked = {1, 0, nullptr};
    EXPECT_EQ(gemmill_gemm_variable(nullptr, 's', 'C', "NN", "NT", ones, ones, ones, 1, 1, 0,
                                    factors, pa, ones, pb, ones, zeros, pc, bad, 2, &checked),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("product 1: ldc is bad"), std::string::npos);
    EXPECT_EQ(c[1], 33);
    EXPECT_EQ(gemmill_gemm_variable(nullptr, 's', 'C', "NN", "NT", ones, ones, ones, 1, 1, 0,
                                    factors, pa, ones, pb, ones, zeros, pc, ones, 2, &checked),
              GEMMILL_OK);
    EXPECT_EQ(c[0], 0);
    EXPECT_EQ(c[1], 8);
    int64_t info[] = {2, 9};
    EXPECT_EQ(gemmill_gemm_groups(nullptr, 's', 'C', 2, sizes, "NN", "NN", ones, ones, ones,
                                  factors, pa, ones, pb, bad, zeros, pc, ones, info, nullptr),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(info[0], 0);
    EXPECT_EQ(info[1], -12);
    EXPECT_EQ(gemmill_gemm_groups(nullptr, 's', 'C', 2, sizes, "NN", "NN", ones, ones, ones,
                                  factors, pa, ones, pb, ones, factors, pc, ones, nullptr, nullptr),
              GEMMILL_OK);
    EXPECT_EQ(c[0], 0);
    EXPECT_EQ(c[1], 16);
    EXPECT_EQ(gemmill_gemm_strided(nullptr, 'x', 'c', 'n', 't', 1, 1, 1, &two, a, 1, 1, b, 1, 1,
                                   &one, c, 1, 1, 2, nullptr),
              GEMMILL_BAD_ARGUMENT);
}

void* const* written(const Batch& x) { return const_cast<void* const*>(x.c.array); }
const char* letters(const PerProduct<Op>& ops) { return reinterpret_cast<const char*>(ops.each); }

/// The letters of all types, in either case, against the loops.
TEST(BatchC, variable_sizes_of_every_type) {
    Random random(1);
    for (const Type type : host_types)
        for (int i = 0; i < affordable(10); ++i) {
            std::vector<GemmCase> products = random_products(random, 30, 12);
            for (GemmCase& one : products) {
                one.type = type, one.layout = products[0].layout;
                if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
            }
            BatchCase batch(products, random);
            const Batch x = batch.variable();
            const char letter =
                i % 2 == 0 ? letter_of(type) : static_cast<char>(letter_of(type) - ('a' - 'A'));
            const gemmill_batch_options checked = {1, 0, nullptr};
            ASSERT_EQ(gemmill_gemm_variable(nullptr, letter, static_cast<char>(batch.layout()),
                                            letters(x.op_a), letters(x.op_b), x.m.each, x.n.each,
                                            x.k.each, 0, 0, 0, x.alpha.each, x.a.array, x.a.ld.each,
                                            x.b.array, x.b.ld.each, x.beta.each, written(x),
                                            x.c.ld.each, x.count, i % 3 == 0 ? &checked : nullptr),
                      GEMMILL_OK)
                << gemmill_message();
            ASSERT_TRUE(batch.check());
        }
}

/// One bad call each: the code, and who is named; C stays as it was.
TEST(BatchC, what_is_bad_is_named) {
    const double a[] = {1, 2}, b[] = {3, 4}, one = 1;
    double c[] = {5, 5};
    const auto strided = [&](char type, char layout, char op, int64_t m, const void* alpha,
                             const void* beta, int64_t ldc, int64_t count) {
        const gemmill_code code =
            gemmill_gemm_strided(nullptr, type, layout, op, 'N', m, 1, 1, alpha, a, 1, 1, b, 1, 1,
                                 beta, c, ldc, 1, count, nullptr);
        EXPECT_EQ(code, GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(c[0], 5);
        return std::string(gemmill_message());
    };
    const auto says = [](const std::string& text, const char* words) {
        EXPECT_NE(text.find(words), std::string::npos) << text;
    };
    says(strided('q', 'C', 'N', 1, &one, &one, 1, 2), "type is 'q'");
    says(strided('d', 'X', 'N', 1, &one, &one, 1, 2), "layout");
    says(strided('d', 'C', 'X', 1, &one, &one, 1, 2), "op_a");
    says(strided('d', 'C', 'N', -1, &one, &one, 1, 2), "m is bad");
    says(strided('d', 'C', 'N', 1, nullptr, &one, 1, 2), "alpha is null");
    says(strided('d', 'C', 'N', 1, &one, nullptr, 1, 2), "beta is null");
    says(strided('d', 'C', 'N', 1, &one, &one, 0, 2), "ldc is bad");
    says(strided('d', 'C', 'N', 1, &one, &one, 1, -1), "count is -1");
    // In rows what is called m stays m.
    says(strided('d', 'R', 'N', -1, &one, &one, 1, 2), "m is bad");
}

TEST(BatchC, pointers_that_are_missing_are_named_when_checked) {
    const double one = 1, zero = 0;
    double x = 2, y[] = {2, 2, 2};
    const void* in[] = {&x, nullptr, &x};
    void* out[] = {y, y + 1, y + 2};
    const gemmill_batch_options checked = {1, 0, nullptr};
    EXPECT_EQ(gemmill_gemm_pointers(nullptr, 'd', 'C', 'N', 'N', 1, 1, 1, &one, in, 1, in, 1, &one,
                                    out, 1, 3, &checked),
              GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("product 1: a is bad"), std::string::npos);
    EXPECT_EQ(y[0], 2);
    // With alpha 0 nobody needs them.
    EXPECT_EQ(gemmill_gemm_pointers(nullptr, 'd', 'C', 'N', 'N', 1, 1, 1, &zero, in, 1, in, 1,
                                    &zero, out, 1, 3, &checked),
              GEMMILL_OK);
    EXPECT_EQ(y[0], 0);
    EXPECT_EQ(y[2], 0);
}

TEST(BatchC, a_stream_needs_a_gpu) {
    gemmill_context* context = nullptr;
    const char* const names[] = {"devices"};
    const char* const values[] = {"cpu"};
    ASSERT_EQ(gemmill_create_with(&context, names, values, 1), GEMMILL_OK) << gemmill_message();
    const double one = 1;
    double x = 2;
    const gemmill_batch_options in_stream = {0, 1, nullptr};
    EXPECT_EQ(gemmill_gemm_strided(context, 'd', 'C', 'N', 'N', 1, 1, 1, &one, &x, 1, 1, &x, 1, 1,
                                   &one, &x, 1, 1, 1, &in_stream),
              GEMMILL_NO_DEVICE);
    EXPECT_EQ(x, 2);
    gemmill_destroy(context);
}

/// Two groups of two and one products; the second is bad. What info says in each mode.
TEST(BatchC, info_by_mode) {
    const double one[] = {1, 1};
    double x[3] = {2, 2, 2};
    const void* in[] = {x, x + 1, x + 2};
    void* out[] = {x, x + 1, x + 2};
    const int64_t sizes[] = {2, 1}, ones[] = {1, 1}, k[] = {1, -1};
    const auto call = [&](int64_t* info) {
        return gemmill_gemm_groups(nullptr, 'd', 'C', 2, sizes, "NN", "NN", ones, ones, k, one, in,
                                   ones, in, ones, one, out, ones, info, nullptr);
    };
    int64_t any[] = {1, 9}, group[] = {2, 9, 9}, all[] = {3, 9, 9, 9}, none[] = {4};
    EXPECT_EQ(call(any), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(call(group), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(call(all), GEMMILL_BAD_ARGUMENT);
    EXPECT_EQ(call(none), GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("info[0] is no mode"), std::string::npos);
    const auto is = [](const int64_t* info, std::initializer_list<int64_t> wanted) {
        return std::equal(wanted.begin(), wanted.end(), info);
    };
    EXPECT_TRUE(is(any, {-7, 9}));
    EXPECT_TRUE(is(group, {0, -7, 9}));
    EXPECT_TRUE(is(all, {0, 0, -7, 9}));
    EXPECT_EQ(x[0], 2);
}

}  // namespace
}  // namespace gemmill::test
