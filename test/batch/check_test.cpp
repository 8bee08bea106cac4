// SPDX-License-Identifier: Apache-2.0
#include "batch/check.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gemmill/error.hpp"

namespace gemmill {
namespace {

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::bad_argument);
        return error.text();
    }
    return {};
}

struct Matrices {
    double x[64] = {};
    Batch batch() {
        Batch b;
        b.count = 2;
        b.m = {4}, b.n = {3}, b.k = {2};
        b.a = {x, 8, nullptr, {4}};
        b.b = {x, 8, nullptr, {2}};
        b.c = {x + 32, 16, nullptr, {4}};
        return b;
    }
};

TEST(BatchCheck, order_and_names_of_one_product) {
    const ProductShape good{Op::NoTrans, Op::Trans, 4, 3, 2, 4, 3, 4};
    EXPECT_EQ(bad_argument(good), BatchArgument::none);
    const auto bad = [&](auto change) {
        ProductShape p = good;
        change(p);
        return std::string(name_of(bad_argument(p)));
    };
    EXPECT_EQ(bad([](auto& p) { p.op_a = static_cast<Op>('X'), p.m = -1; }), "op_a");
    EXPECT_EQ(bad([](auto& p) { p.op_b = static_cast<Op>(0); }), "op_b");
    EXPECT_EQ(bad([](auto& p) { p.m = -1, p.n = -1; }), "m");
    EXPECT_EQ(bad([](auto& p) { p.n = -1; }), "n");
    EXPECT_EQ(bad([](auto& p) { p.k = -1; }), "k");
    EXPECT_EQ(bad([](auto& p) { p.lda = 3; }), "lda");
    EXPECT_EQ(bad([](auto& p) { p.op_a = Op::Trans, p.lda = 1; }), "lda");
    EXPECT_EQ(bad([](auto& p) { p.ldb = 2; }), "ldb");
    EXPECT_EQ(bad([](auto& p) { p.ldc = 3; }), "ldc");
    EXPECT_EQ(bad([](auto& p) { p.m = p.k = 0, p.lda = 0; }), "lda");
}

TEST(BatchCheck, what_all_share) {
    Matrices m;
    const auto text = [&](auto change, Layout layout = Layout::ColMajor) {
        Batch b = m.batch();
        change(b);
        return refusal([&] { check_shared(layout, b); });
    };
    EXPECT_EQ(text([](Batch&) {}), "");
    EXPECT_EQ(text([](Batch& b) { b.count = -1; }), "gemm_batch: count is -1");
    EXPECT_EQ(text([](Batch& b) { b.a.ld = {3}; }), "gemm_batch: lda is bad");
    EXPECT_EQ(text([](Batch& b) { b.a.ld = {3}; }, Layout::RowMajor), "gemm_batch: ldb is bad");
    EXPECT_EQ(text([](Batch& b) { b.c.data = nullptr; }), "gemm_batch: c is bad");
    EXPECT_EQ(text([](Batch& b) { b.b.data = nullptr; }), "gemm_batch: b is bad");
    EXPECT_EQ(text([](Batch& b) { b.b.data = nullptr, b.alpha.all = {}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.b.data = nullptr, b.k = {0}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.c.data = nullptr, b.m = {0}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.c.data = nullptr, b.count = 0; }), "");
}

TEST(BatchCheck, matrices_that_cannot_exist) {
    constexpr index_t huge = std::numeric_limits<index_t>::max();
    Matrices m;
    const auto text = [&](auto change, Layout layout = Layout::ColMajor) {
        Batch b = m.batch();
        change(b);
        return refusal([&] { check_shared(layout, b); });
    };
    EXPECT_EQ(text([](Batch& b) { b.a.ld = {huge}; }), "gemm_batch: lda is bad");
    EXPECT_EQ(text([](Batch& b) { b.b.ld = {huge / 16}; }), "gemm_batch: ldb is bad");
    EXPECT_EQ(text([](Batch& b) { b.c.ld = {huge / 8}; }, Layout::RowMajor),
              "gemm_batch: ldc is bad");
    EXPECT_EQ(text([](Batch& b) { b.a.stride = huge; }),
              "gemm_batch: stride_a is 9223372036854775807");
    EXPECT_EQ(text([](Batch& b) { b.a.stride = huge / 8; }, Layout::RowMajor),
              "gemm_batch: stride_b is 1152921504606846975");
    EXPECT_EQ(text([](Batch& b) { b.c.stride = -huge - 1; }),
              "gemm_batch: stride_c is -9223372036854775808");
    EXPECT_EQ(text([](Batch& b) { b.c.stride = 0; }), "gemm_batch: stride_c is 0");
    EXPECT_EQ(text([](Batch& b) { b.count = huge / 4; }), "gemm_batch: stride_a is 8");
    // One product, or none, or none that is read.
    EXPECT_EQ(text([](Batch& b) { b.c.stride = 0, b.count = 1; }), "");
    EXPECT_EQ(text([](Batch& b) { b.a.stride = huge, b.count = 1; }), "");
    EXPECT_EQ(text([](Batch& b) { b.a.stride = huge, b.alpha.all = {}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.a.stride = b.c.stride = huge, b.n = {0}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.n = {0}, b.count = huge; }), "");
    EXPECT_EQ(text([](Batch& b) { b.n = {0}, b.c.ld = {huge}; }), "");
    // The largest that there can be.
    EXPECT_EQ(text([](Batch& b) { b.c.ld = {huge / 16 - 2}, b.n = {2}, b.count = 1; }), "");
}

/// Arrays of pointers must be there; what all have in common tells when nobody needs them.
TEST(BatchCheck, arrays_that_are_missing) {
    Matrices m;
    const std::vector<index_t> sizes{4, 4};
    const std::vector<double> factors{1, 1};
    const auto text = [&](auto change) {
        Batch b = m.batch();
        b.m.each = b.n.each = b.k.each = sizes.data();
        b.alpha.each = factors.data();
        change(b);
        return refusal([&] { check_shared(Layout::ColMajor, b); });
    };
    EXPECT_EQ(text([](Batch&) {}), "");
    EXPECT_EQ(text([](Batch& b) { b.a.data = nullptr; }), "gemm_batch: a is bad");
    EXPECT_EQ(text([](Batch& b) { b.b.data = nullptr; }), "gemm_batch: b is bad");
    EXPECT_EQ(text([](Batch& b) { b.c.data = nullptr; }), "gemm_batch: c is bad");
    EXPECT_EQ(text([](Batch& b) { b.a.data = nullptr, b.alpha = {}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.a.data = nullptr, b.k = {0}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.c.data = nullptr, b.m = {0}; }), "");
    EXPECT_EQ(text([](Batch& b) { b.count = std::numeric_limits<index_t>::max() / 8; }),
              "gemm_batch: count is 1152921504606846975");
}

TEST(BatchCheck, batches_that_leave_all_as_it_is) {
    Matrices m;
    const auto nothing = [&](auto change) {
        Batch b = m.batch();
        change(b);
        return is_nothing(b);
    };
    const std::vector<double> factors{1, 1};
    EXPECT_FALSE(nothing([](Batch&) {}));
    EXPECT_TRUE(nothing([](Batch& b) { b.count = 0; }));
    EXPECT_TRUE(nothing([](Batch& b) { b.m = {0}; }));
    EXPECT_TRUE(nothing([](Batch& b) { b.k = {0}, b.beta.all = {1, 0}; }));
    EXPECT_FALSE(nothing([](Batch& b) { b.k = {0}; }));
    EXPECT_FALSE(nothing([&](Batch& b) { b.k = {0}, b.beta = {{1, 0}, factors.data()}; }));
    EXPECT_TRUE(nothing([](Batch& b) { b.alpha.all = {}, b.beta.all = {1, 0}; }));
}

TEST(BatchCheck, a_bad_product_by_its_index) {
    Matrices m;
    Batch b = m.batch();
    const std::vector<index_t> sizes{4, 4}, negative{4, -4}, lds{4, 3};
    std::vector<const void*> pointers{m.x, nullptr};
    b.m.each = sizes.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }), "");
    b.m.each = negative.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }),
              "gemm_batch: product 1: m is bad");
    EXPECT_EQ(refusal([&] { check_products(Layout::RowMajor, b); }),
              "gemm_batch: product 1: n is bad");
    b.m.each = sizes.data();
    b.c.ld.each = lds.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }),
              "gemm_batch: product 1: ldc is bad");
    const std::vector<index_t> longest{4, std::numeric_limits<index_t>::max()};
    b.c.ld.each = longest.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }),
              "gemm_batch: product 1: ldc is bad");
    b.c.ld.each = nullptr;
    b.a.array = pointers.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }),
              "gemm_batch: product 1: a is bad");
    const std::vector<double> alphas{1, 0};
    b.alpha.each = alphas.data();
    EXPECT_EQ(refusal([&] { check_products(Layout::ColMajor, b); }), "");
}

}  // namespace
}  // namespace gemmill
