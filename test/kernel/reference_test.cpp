// SPDX-License-Identifier: Apache-2.0
// The judge is judged by hand.
#include "kernel/reference/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace gemmill {
namespace {

using Z = std::complex<double>;
constexpr auto nan = std::numeric_limits<float>::quiet_NaN();
constexpr auto inf = std::numeric_limits<float>::infinity();

template <class T>
struct Case {
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 2, n = 2, k = 2;
    scalar_t<T> alpha{1};
    std::vector<T> a;
    std::vector<T> b;
    scalar_t<T> beta{0};
    std::vector<T> c;
    index_t lda = 2, ldb = 2, ldc = 2;
};

template <class T>
std::vector<T> gemm_of(Case<T> x) {
    reference_gemm({type_of<T>, x.op_a, x.op_b, x.m, x.n, x.k, to_scalar(x.alpha), x.a.data(),
                    x.lda, x.b.data(), x.ldb, to_scalar(x.beta), x.c.data(), x.ldc});
    return x.c;
}

// A = [1 2; 3 4], B = [5 6; 7 8], stored by columns.
const std::vector<double> a{1, 3, 2, 4}, b{5, 7, 6, 8};

TEST(Reference, plain_and_transposed) {
    Case<double> x{.a = a, .b = b, .c = {0, 0, 0, 0}};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{19, 43, 22, 50}));
    x.op_a = Op::Trans;
    EXPECT_EQ(gemm_of(x), (std::vector<double>{26, 38, 30, 44}));
    x.op_b = Op::ConjTrans;
    EXPECT_EQ(gemm_of(x), (std::vector<double>{23, 34, 31, 46}));
    x.op_a = Op::NoTrans;
    EXPECT_EQ(gemm_of(x), (std::vector<double>{17, 39, 23, 53}));
}

TEST(Reference, factors_and_gaps) {
    Case<double> x{.alpha = 2, .a = a, .b = b, .beta = 10, .c = {1, 1, 77, 1, 1, 77}, .ldc = 3};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{48, 96, 77, 54, 110, 77}));
}

TEST(Reference, rectangles) {
    // [1 2 3] times the column 4 5 6.
    Case<float> x{.m = 1,
                  .n = 1,
                  .k = 3,
                  .a = {1, 2, 3},
                  .b = {4, 5, 6},
                  .c = {0},
                  .lda = 1,
                  .ldb = 3,
                  .ldc = 1};
    EXPECT_EQ(gemm_of(x), std::vector<float>{32});
    x = {.m = 2, .n = 1, .k = 1, .a = {1, 2}, .b = {4}, .c = {0, 0}, .ldb = 1};
    EXPECT_EQ(gemm_of(x), (std::vector<float>{4, 8}));
}

TEST(Reference, conjugates_what_it_is_told_to) {
    const Z i{0, 1};
    Case<Z> x{
        .m = 1, .n = 1, .k = 1, .a = {i}, .b = {Z{2, 1}}, .c = {0}, .lda = 1, .ldb = 1, .ldc = 1};
    EXPECT_EQ(gemm_of(x)[0], (Z{-1, 2}));
    x.op_a = Op::Trans;
    EXPECT_EQ(gemm_of(x)[0], (Z{-1, 2}));
    x.op_a = Op::ConjTrans;
    EXPECT_EQ(gemm_of(x)[0], (Z{1, -2}));
    x.op_b = Op::ConjTrans;
    EXPECT_EQ(gemm_of(x)[0], (Z{-1, -2}));
    x.alpha = i;
    EXPECT_EQ(gemm_of(x)[0], (Z{2, -1}));
}

TEST(Reference, reads_only_what_it_may) {
    Case<double> x{.a = a, .b = b, .c = {nan, nan, nan, nan}};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{19, 43, 22, 50}));
    x = {.alpha = 0,
         .a = {nan, nan, nan, nan},
         .b = {inf, inf, inf, inf},
         .beta = 3,
         .c = {1, 2, 3, 4}};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{3, 6, 9, 12}));
    x.beta = 0;
    x.c = {nan, nan, nan, nan};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{0, 0, 0, 0}));
    x.alpha = 1, x.k = 0, x.beta = 1, x.c = {1, 2, 3, 4};
    EXPECT_EQ(gemm_of(x), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Reference, nan_and_inf_travel) {
    Case<double> x{.a = {nan, 3, 2, 4}, .b = b, .c = {0, 0, 0, 0}};
    auto c = gemm_of(x);
    EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[2]));
    EXPECT_EQ(c[1], 43);
    x.a = {0, 3, 2, 4};
    x.b = {inf, 7, 6, 8};
    c = gemm_of(x);
    EXPECT_TRUE(std::isnan(c[0]));  // 0 times inf
    EXPECT_EQ(c[1], inf);
    EXPECT_EQ(c[2], 16);
    x = {.alpha = nan, .a = a, .b = b, .c = {0, 0, 0, 0}};
    EXPECT_TRUE(std::isnan(gemm_of(x)[3]));
    x = {.a = a, .b = b, .beta = nan, .c = {0, 0, 0, 0}};
    EXPECT_TRUE(std::isnan(gemm_of(x)[3]));
}

template <class T>
class ReferenceShort : public testing::Test {
  public:
    static std::vector<T> of(std::initializer_list<float> values) {
        std::vector<T> all;
        for (const float x : values) all.push_back(T(x));
        return all;
    }
    static Case<T> one(std::vector<T> row, std::vector<T> column) {
        const auto k = static_cast<index_t>(row.size());
        return {.m = 1,
                .n = 1,
                .k = k,
                .a = std::move(row),
                .b = std::move(column),
                .c = of({nan}),
                .lda = 1,
                .ldb = k,
                .ldc = 1};
    }
};
using Short = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(ReferenceShort, Short);

TYPED_TEST(ReferenceShort, plain_and_transposed) {
    Case<TypeParam> x{
        .a = this->of({1, 3, 2, 4}), .b = this->of({5, 7, 6, 8}), .c = this->of({1, 1, 1, 1})};
    EXPECT_EQ(gemm_of(x), this->of({19, 43, 22, 50}));
    x.op_a = Op::Trans, x.op_b = Op::ConjTrans;
    x.alpha = 2, x.beta = -4;
    EXPECT_EQ(gemm_of(x), this->of({42, 64, 58, 88}));
}

/// Factors and sums are floats, which C alone does not hold.
TYPED_TEST(ReferenceShort, rounds_once) {
    auto x = this->one(this->of({2048, 1, 1}), this->of({1, 1, 1}));
    x.alpha = 0x1p-11F;
    x.beta = 0;
    EXPECT_EQ(gemm_of(x)[0], TypeParam(2050 * 0x1p-11F));
    x = this->one(this->of({0x1p15F}), this->of({0x1p15F}));
    x.alpha = 0x1p-30F;
    EXPECT_EQ(gemm_of(x)[0], 1);
}

TYPED_TEST(ReferenceShort, too_large_is_infinite) {
    auto x = this->one(this->of({0x1p15F}), this->of({0x1p15F}));
    x.alpha = 0x1p100F;
    EXPECT_EQ(gemm_of(x)[0], inf);
    x.alpha = -0x1p100F;
    EXPECT_EQ(gemm_of(x)[0], -inf);
    x.alpha = nan;
    EXPECT_TRUE(std::isnan(gemm_of(x)[0]));
}

TYPED_TEST(ReferenceShort, add) {
    auto c = this->of({1, 2, 9, 3, 4, 9});
    const auto x = this->of({10, 20, 30, 40});
    reference_add({type_of<TypeParam>, 2, 2, {0.5, 0}, x.data(), 2, c.data(), 3});
    EXPECT_EQ(c, this->of({6, 12, 9, 18, 24, 9}));
}

TEST(Reference, add) {
    std::vector<float> c{1, 2, 9, 3, 4, 9};
    const std::vector<float> x{10, 20, 30, 40};
    reference_add({Type::s, 2, 2, {0.5, 0}, x.data(), 2, c.data(), 3});
    EXPECT_EQ(c, (std::vector<float>{6, 12, 9, 18, 24, 9}));
}

}  // namespace
}  // namespace gemmill
