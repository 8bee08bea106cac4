// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/thin/thin.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

constexpr Type thin_types[] = {Type::s, Type::d, Type::c, Type::z};

GemmArgs args_of(Operands& x) {
    const GemmCase& g = x.problem();
    return {g.type,       g.op_a,     g.op_b,       g.m,        g.n,    g.k,          g.alpha,
            x.a().data(), x.a().ld(), x.b().data(), x.b().ld(), g.beta, x.c().data(), x.c().ld()};
}

void run(Operands& x, const SmallKernels& kernels) {
    ASSERT_TRUE(thin_gemm(args_of(x), kernels));
    ASSERT_TRUE(x.check()) << kernels.name;
}

void run(GemmCase one, const SmallKernels& kernels, Random& random) {
    one.layout = Layout::ColMajor;
    Operands x(one, random);
    run(x, kernels);
}

/// Calls f(kernels, type) for all of both.
template <class F>
void for_all(F f) {
    for (const SmallKernels* kernels : small_kernel_sets())
        for (const Type type : thin_types) f(*kernels, type);
}

TEST(ThinGemm, every_edge_of_a_tile) {
    Random random(1);
    for_all([&](const SmallKernels& kernels, Type type) {
        for (index_t m = 1; m <= 52; m += 1 + (m > 18) * 4)
            for (index_t n = 1; n <= 13; ++n) {
                GemmCase one;
                one.type = type;
                one.m = m, one.n = n, one.k = 3;
                one.gap = {1, 0, 2};
                one.alpha = {1.5, is_complex(type) ? 0.5 : 0};
                one.beta = {n % 3 == 0 ? 0.0 : n % 3 == 1 ? 1.0 : -0.75, 0};
                run(one, kernels, random);
            }
    });
}

/// All flags, factors that are 0, 1 and NaN, k and sizes of 0.
TEST(ThinGemm, random_sweep) {
    Random random(2);
    for (const SmallKernels* kernels : small_kernel_sets())
        for (int i = 0; i < affordable(1500); ++i) {
            GemmCase one = random_case(random, 70);
            if (!is_short(one.type)) run(one, *kernels, random);
        }
}

TEST(ThinGemm, every_flag) {
    Random random(3);
    for_all([&](const SmallKernels& kernels, Type type) {
        for (const Op op_a : all_ops)
            for (const Op op_b : all_ops) {
                GemmCase one;
                one.type = type;
                one.op_a = op_a, one.op_b = op_b;
                one.m = 53, one.n = 31, one.k = 17;
                one.gap = {3, 500, 1};
                one.alpha = {0.5, is_complex(type) ? 0.25 : 0};
                one.beta = {2, is_complex(type) ? -1.0 : 0};
                run(one, kernels, random);
            }
    });
}

/// Blocks of both factors: a k so long that few rows and columns make one.
TEST(ThinGemm, more_than_one_block) {
    Random random(4);
    for (const Type type : thin_types) {
        GemmCase one;
        one.type = type;
        one.op_b = Op::Trans;
        one.m = 40, one.n = 150, one.k = 3500;
        one.gap = {1, 0, 5};
        one.alpha = {-1, 0}, one.beta = {0.5, 0};
        run(one, *small_kernel_sets().front(), random);
    }
}

/// Infinities and NaNs in each matrix go where loops take them, also from rows of a panel to none
/// beside them.
TEST(ThinGemm, infinities_and_nans) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Random random(5);
    for_all([&](const SmallKernels& kernels, Type type) {
        for (const double odd : {inf, -inf, nan})
            for (const double beta : {0.0, 1.0, 0.5}) {
                GemmCase one;
                one.type = type;
                one.m = 37, one.n = 11, one.k = 5;
                one.alpha = {1, 0}, one.beta = {beta, 0};
                Operands x(one, random);
                x.a().set(random.below(one.m), 2, {odd, odd});
                x.b().set(3, random.below(one.n), {odd, odd});
                if (beta != 0) x.c().set(random.below(one.m), random.below(one.n), {odd, odd});
                x.a().keep(), x.b().keep(), x.c().keep();
                x.judge();
                run(x, kernels);
            }
    });
}

/// beta 0 is not the only one that must not read: alpha 0, and a k of 0.
TEST(ThinGemm, nothing_to_multiply) {
    Random random(7);
    for_all([&](const SmallKernels& kernels, Type type) {
        for (const double beta : {0.0, 1.0, 0.5})
            for (const index_t k : {0, 4}) {
                GemmCase one;
                one.type = type;
                one.m = 19, one.n = 7, one.k = k;
                one.alpha = {k == 0 ? 2.0 : 0.0, 0}, one.beta = {beta, 0};
                run(one, kernels, random);
            }
    });
}

GemmArgs shape(Type type, index_t m, index_t n, index_t k, double beta) {
    GemmArgs g;
    g.type = type;
    g.m = m, g.n = n, g.k = k;
    g.alpha = {1, 0}, g.beta = {beta, 0};
    return g;
}

TEST(ThinPays, where_a_pass_over_c_is_much_of_the_time) {
    EXPECT_TRUE(thin_pays(shape(Type::d, 4000, 2000, 64, 0.9)));
    EXPECT_TRUE(thin_pays(shape(Type::s, 4000, 2000, 128, 0)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 4000, 2000, 129, 0.9)));
    EXPECT_TRUE(thin_pays(shape(Type::z, 4000, 2000, 32, 0.9)));
    EXPECT_TRUE(thin_pays(shape(Type::c, 500, 500, 32, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::z, 500, 500, 32, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::c, 4000, 2000, 33, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::c, 4000, 2000, 7, 0.9)));
    EXPECT_TRUE(thin_pays(shape(Type::s, 4000, 2000, 1, 0.9)));
}

TEST(ThinPays, rarely_without_that_pass) {
    EXPECT_TRUE(thin_pays(shape(Type::d, 4000, 2000, 32, 1)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 4000, 2000, 33, 1)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 4000, 2000, 7, 1)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 1000, 1000, 32, 1)));
    EXPECT_FALSE(thin_pays(shape(Type::z, 4000, 2000, 8, 1)));
}

TEST(ThinPays, not_for_small_and_narrow_results_nor_without_products) {
    EXPECT_FALSE(thin_pays(shape(Type::d, 255, 100000, 64, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 100000, 255, 64, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 300, 300, 64, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 0, 4000, 64, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::d, 4000, 4000, 0, 0.9)));
    EXPECT_FALSE(thin_pays(shape(Type::h, 4000, 4000, 64, 0.9)));
    GemmArgs g = shape(Type::d, 4000, 4000, 64, 0.9);
    g.alpha = {};
    EXPECT_FALSE(thin_pays(g));
    g.alpha = {1, 0}, g.m = g.n = index_t{1} << 40;
    EXPECT_TRUE(thin_pays(g)) << "sizes whose product is beyond 64 bits";
}

TEST(ThinGemm, leaves_16_bit_types_to_others) {
    Random random(6);
    for (const Type type : {Type::h, Type::b}) {
        GemmCase one;
        one.type = type;
        one.m = one.n = one.k = 3;
        Operands x(one, random);
        EXPECT_FALSE(thin_gemm(args_of(x), *small_kernel_sets().front()));
        EXPECT_TRUE(x.old({0, 0, 0, 3, 3}));
    }
}

}  // namespace
}  // namespace gemmill::test
