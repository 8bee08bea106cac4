// SPDX-License-Identifier: Apache-2.0
// Batches that the C interface refuses: arrays that are missing, matrices that overlap, that no
// memory can hold, or that reach beyond theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "gemmill/gemmill.h"

namespace gemmill::test {
namespace {

/// gemm_variable and gemm_groups of two products of 1 x 1 in which one argument is null.
struct TwoProducts {
    const double factors[2] = {1, 1};
    double x[2] = {2, 3}, y[2] = {5, 5};
    const void* in[2] = {x, x + 1};
    void* out[2] = {y, y + 1};
    const int64_t ones[2] = {1, 1};
    int64_t info[2] = {0, 0};

    /// All arguments, of which number `missing`, from 1 on, is null.
    auto all(int missing) const {
        int next = 0;
        const auto unless = [&](auto* array) { return ++next == missing ? nullptr : array; };
        const char* const ops = "NN";
        const void* const scalars = factors;
        const void* const* const a = in;
        void* const* const c = out;
        // Braces: from the first to the last.
        return std::tuple{unless(ops),     unless(ops), unless(ones), unless(ones), unless(ones),
                          unless(scalars), unless(a),   unless(ones), unless(a),    unless(ones),
                          unless(scalars), unless(c),   unless(ones)};
    }

    gemmill_code variable(int missing, int64_t count = 2) {
        return std::apply([&](auto*... of) { return call_variable(count, of...); }, all(missing));
    }
    gemmill_code groups(int missing, int64_t count = 2) {
        const int64_t* const sizes = missing == 14 ? nullptr : ones;
        return std::apply([&](auto*... of) { return call_groups(count, sizes, of...); },
                          all(missing));
    }

  private:
    static gemmill_code call_variable(int64_t count, const char* op_a, const char* op_b,
                                      const int64_t* m, const int64_t* n, const int64_t* k,
                                      const void* alpha, const void* const* a, const int64_t* lda,
                                      const void* const* b, const int64_t* ldb, const void* beta,
                                      void* const* c, const int64_t* ldc) {
        return gemmill_gemm_variable(nullptr, 'd', 'C', op_a, op_b, m, n, k, 0, 0, 0, alpha, a, lda,
                                     b, ldb, beta, c, ldc, count, nullptr);
    }
    static gemmill_code call_groups(int64_t count, const int64_t* sizes, const char* op_a,
                                    const char* op_b, const int64_t* m, const int64_t* n,
                                    const int64_t* k, const void* alpha, const void* const* a,
                                    const int64_t* lda, const void* const* b, const int64_t* ldb,
                                    const void* beta, void* const* c, const int64_t* ldc) {
        return gemmill_gemm_groups(nullptr, 'd', 'C', count, sizes, op_a, op_b, m, n, k, alpha, a,
                                   lda, b, ldb, beta, c, ldc, nullptr, nullptr);
    }
};

TEST(BatchC, every_array_must_be_there) {
    static constexpr const char* names[] = {"op_a",  "op_b", "m",   "n",          "k",
                                            "alpha", "a",    "lda", "b",          "ldb",
                                            "beta",  "c",    "ldc", "group_sizes"};
    for (int missing = 1; missing <= 14; ++missing) {
        TwoProducts x;
        const std::string words = std::string(names[missing - 1]) + " is null";
        if (missing <= 13) {
            EXPECT_EQ(x.variable(missing), GEMMILL_BAD_ARGUMENT) << words;
            EXPECT_NE(std::string(gemmill_message()).find(words), std::string::npos)
                << gemmill_message();
        }
        EXPECT_EQ(x.groups(missing), GEMMILL_BAD_ARGUMENT) << words;
        EXPECT_NE(std::string(gemmill_message()).find(words), std::string::npos)
            << gemmill_message();
        EXPECT_EQ(x.y[0], 5);
        // Of nothing they may be anything.
        EXPECT_EQ(x.variable(missing, 0), GEMMILL_OK) << words;
        EXPECT_EQ(x.groups(missing, 0), GEMMILL_OK) << words;
    }
    TwoProducts x;
    EXPECT_EQ(x.variable(0), GEMMILL_OK);
    EXPECT_EQ(x.groups(0), GEMMILL_OK);
    EXPECT_EQ(x.y[0], 13);
    EXPECT_EQ(gemmill_gemm_variable(nullptr, 'd', 'C', nullptr, nullptr, nullptr, nullptr, nullptr,
                                    0, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr, nullptr, 3, nullptr),
              GEMMILL_BAD_ARGUMENT);
}

TEST(BatchC, strides_that_cannot_be_meant) {
    const double one = 1;
    double x[40] = {}, y[40];
    std::fill(std::begin(y), std::end(y), 5.0);
    const gemmill_batch_options unchecked = {}, checked = {1, 0, nullptr};
    const auto call = [&](int64_t stride_a, int64_t ldc, int64_t stride_c, int64_t count,
                          const gemmill_batch_options& options) {
        return gemmill_gemm_strided(nullptr, 'd', 'C', 'N', 'N', 2, 3, 2, &one, x, 2, stride_a, x,
                                    2, 0, &one, y, ldc, stride_c, count, &options);
    };
    constexpr int64_t longest = std::numeric_limits<int64_t>::max();
    for (const gemmill_batch_options& options : {unchecked, checked}) {
        EXPECT_EQ(call(0, 2, 0, 3, options), GEMMILL_BAD_ARGUMENT);
        EXPECT_NE(std::string(gemmill_message()).find("stride_c is 0"), std::string::npos);
        EXPECT_EQ(call(longest, 2, 6, 2, options), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(call(0, 2, longest / 8, 3, options), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(call(0, longest / 8, 6, 2, options), GEMMILL_BAD_ARGUMENT);
        EXPECT_EQ(call(0, 2, 6, longest, options), GEMMILL_BAD_ARGUMENT);
    }
    EXPECT_EQ(call(0, 2, 5, 2, checked), GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("product 1: c overlaps c of product 0"),
              std::string::npos)
        << gemmill_message();
    EXPECT_EQ(y[0], 5);
    EXPECT_EQ(call(0, 2, 6, 2, checked), GEMMILL_OK) << gemmill_message();
    // Columns of one product between those of another.
    EXPECT_EQ(call(0, 4, 2, 2, checked), GEMMILL_OK) << gemmill_message();
    EXPECT_EQ(call(0, 4, 1, 2, checked), GEMMILL_BAD_ARGUMENT);
    // Nothing at all, however often.
    EXPECT_EQ(gemmill_gemm_strided(nullptr, 'd', 'C', 'N', 'N', 0, 3, 2, &one, x, 2, 0, x, 2, 0,
                                   &one, y, 2, 0, longest, &checked),
              GEMMILL_OK);
}

TEST(BatchC, what_a_product_writes_is_not_read) {
    const double one = 1;
    double x[12] = {};
    const gemmill_batch_options checked = {1, 0, nullptr};
    const void* a[] = {x, x + 4};
    const void* b[] = {x + 1, x + 2};
    void* apart[] = {x + 5, x + 6};
    void* alias[] = {x + 5, x + 4};
    void* twice[] = {x + 5, x + 5};
    const auto call = [&](char layout, void* const* c) {
        return gemmill_gemm_pointers(nullptr, 'd', layout, 'N', 'N', 1, 1, 1, &one, a, 1, b, 1,
                                     &one, c, 1, 2, &checked);
    };
    EXPECT_EQ(call('C', apart), GEMMILL_OK) << gemmill_message();
    EXPECT_EQ(call('C', alias), GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("product 1: c overlaps a of product 1"),
              std::string::npos)
        << gemmill_message();
    EXPECT_EQ(call('R', alias), GEMMILL_BAD_ARGUMENT);
    EXPECT_NE(std::string(gemmill_message()).find("c overlaps a"), std::string::npos)
        << gemmill_message();
    EXPECT_EQ(call('C', twice), GEMMILL_BAD_ARGUMENT);
}

TEST(BatchC, products_beyond_a_block_are_noticed) {
    const char* const name = "devices";
    for (const char* devices : {"cpu", "cpu:2"}) {
        gemmill_context* context = nullptr;
        ASSERT_EQ(gemmill_create_with(&context, &name, &devices, 1), GEMMILL_OK);
        void* block = nullptr;
        ASSERT_EQ(gemmill_allocate_host(context, 8 * 12, &block), GEMMILL_OK);
        auto* const x = static_cast<double*>(block);
        std::fill_n(x, 12, 1.0);
        double y[24] = {};
        const double one = 1, zero = 0;
        const auto strided = [&](int64_t count) {
            return gemmill_gemm_strided(context, 'd', 'C', 'N', 'N', 2, 2, 2, &one, x, 2, 4, y, 2,
                                        0, &zero, y + 4, 2, 4, count, nullptr);
        };
        EXPECT_EQ(strided(2), GEMMILL_OK);
        EXPECT_EQ(strided(4), GEMMILL_BAD_ARGUMENT);
        EXPECT_NE(std::string(gemmill_message()).find("gemm_batch: a is larger"), std::string::npos)
            << gemmill_message();
        const void* a[] = {x, x + 9};
        const void* b[] = {y, y};
        void* c[] = {y + 4, y + 8};
        const gemmill_batch_options checked = {1, 0, nullptr};
        EXPECT_EQ(gemmill_gemm_pointers(context, 'd', 'C', 'N', 'N', 2, 2, 2, &one, a, 2, b, 2,
                                        &zero, c, 2, 2, &checked),
                  GEMMILL_BAD_ARGUMENT);
        EXPECT_NE(std::string(gemmill_message()).find("product 1: a is larger"), std::string::npos)
            << gemmill_message();
        gemmill_destroy(context);
    }
}

}  // namespace
}  // namespace gemmill::test
