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
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
struct Case {
    Op op_a = Op::NoTrans, op_b = Op::NoTrans;
    index_t m = 2, n = 2, k = 2;
    T alpha{1};
    std::vector<T> a;
    std::vector<T> b;
    T beta{0};
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

TEST(Reference, add) {
    std::vector<float> c{1, 2, 9, 3, 4, 9};
    const std::vector<float> x{10, 20, 30, 40};
    reference_add({Type::s, 2, 2, {0.5, 0}, x.data(), 2, c.data(), 3});
    EXPECT_EQ(c, (std::vector<float>{6, 12, 9, 18, 24, 9}));
}

}  // namespace
}  // namespace gemmill
