// SPDX-License-Identifier: Apache-2.0
// Right results of every routine pass, and one element that is wrong, or touched, does not.
#include "check/verify_level3.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "base/routine.hpp"
#include "kernel/reference/level3.hpp"
#include "random/numbers.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using Z = std::complex<double>;

std::vector<Z> random_matrix(index_t n, Random& random) {
    std::vector<Z> data(static_cast<std::size_t>(n * n));
    for (Z& x : data) {
        const double re = random.uniform();
        x = {re, random.uniform()};
    }
    return data;
}

/// What is not as usual about a call.
struct Corner {
    Scalar alpha{0.75, 0.5}, beta{-1.25, 0};
    index_t k = 8;
};

/// A call on n x n matrices, done by plain loops.
struct Sample {
    Sample(Routine routine, Random& random, const Corner& corner = {}) {
        args.routine = routine;
        args.type = Type::z;
        args.m = args.n = n;
        args.k = corner.k;
        args.side = random.uniform() > 0 ? Side::Left : Side::Right;
        args.uplo = random.uniform() > 0 ? Uplo::Lower : Uplo::Upper;
        args.diag = random.uniform() > 0 ? Diag::Unit : Diag::NonUnit;
        const bool turned = random.uniform() > 0;
        if (turned) args.op_a = is_hermitian(routine) ? Op::ConjTrans : Op::Trans;
        if (random.uniform() > 0) args.op_b = Op::ConjTrans;
        args.alpha = {corner.alpha.re, routine == Routine::herk ? 0 : corner.alpha.im};
        args.beta = corner.beta;
        for (index_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] += 4.0;
        args.a = a.data(), args.lda = n;
        if (has_b(routine)) args.b = b.data(), args.ldb = n;
        args.c = c.data(), args.ldc = n;
        reference_level3(args);
    }

    Verdict verdict() const { return verify_level3(args, old.data()); }

    static constexpr index_t n = 8;
    Random numbers{3};
    std::vector<Z> a = random_matrix(n, numbers), b = random_matrix(n, numbers),
                   old = random_matrix(n, numbers), c = old;
    Level3Args args;
};

constexpr Routine routines[] = {Routine::gemmt, Routine::symm, Routine::hemm,
                                Routine::syrk,  Routine::herk, Routine::syr2k,
                                Routine::her2k, Routine::trmm, Routine::trsm};

TEST(VerifyLevel3, right_ones_pass_and_each_wrong_element_is_found) {
    Random random(1);
    for (const Routine routine : routines)
        for (int i = 0; i < 8; ++i) {
            Sample sample(routine, random);
            ASSERT_TRUE(sample.verdict().right())
                << name_of(routine) << " " << sample.verdict().error;
            for (Z& x : sample.c) {
                const Z right = x;
                x += 1e-9;
                ASSERT_FALSE(sample.verdict().right()) << name_of(routine);
                x = std::numeric_limits<double>::quiet_NaN();
                ASSERT_FALSE(sample.verdict().right()) << name_of(routine);
                x = right;
            }
        }
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

bool is_update(Routine routine) { return routine == Routine::herk || routine == Routine::her2k; }

/// C = C is no reason to make a hermitian diagonal real; any other factor is.
TEST(VerifyLevel3, a_diagonal_keeps_its_imaginary_part_only_where_nothing_is_done) {
    Random random(4);
    for (const Routine routine : {Routine::herk, Routine::her2k})
        for (const double beta : {1.0, 0.5, 0.0})
            for (const Corner& corner : {Corner{{0.75, 0.5}, {beta, 0}, 0}, {{}, {beta, 0}, 8}}) {
                Sample sample(routine, random, corner);
                EXPECT_TRUE(sample.verdict().right()) << name_of(routine) << " " << beta;
                for (index_t i = 0; i < Sample::n; ++i) {
                    Z& x = sample.c[static_cast<std::size_t>(i * (Sample::n + 1))];
                    const Z right = x;
                    EXPECT_EQ(x.imag() == 0, beta != 1);
                    x = {x.real(), beta == 1 ? 0 : 0.25};
                    EXPECT_FALSE(sample.verdict().right()) << name_of(routine) << " " << beta;
                    x = right;
                }
            }
}

TEST(VerifyLevel3, a_diagonal_may_be_no_number_where_nothing_is_done) {
    Random random(5);
    Sample sample(Routine::herk, random, {{}, {1, 0}, 8});
    for (index_t i = 0; i < Sample::n; ++i) {
        const auto at = static_cast<std::size_t>(i * (Sample::n + 1));
        sample.old[at] = sample.c[at] = {sample.c[at].real(), nan_value};
    }
    EXPECT_TRUE(sample.verdict().right());
}

TEST(VerifyLevel3, nothing_in_nothing_out) {
    Random random(6);
    for (const Routine routine : routines) {
        Sample sample(routine, random);
        sample.args.m = 0, sample.args.c = nullptr;
        if (is_update(routine)) sample.args.n = 0;
        EXPECT_TRUE(sample.verdict().right()) << name_of(routine);
        sample.args.m = 0, sample.args.n = index_t{1} << 62;
        EXPECT_TRUE(sample.verdict().right()) << name_of(routine);
    }
}

/// Elements that overflow may be anything that is not finite; the others are judged as ever.
TEST(VerifyLevel3, what_overflows_is_right_and_what_does_not_is_still_judged) {
    Random random(7);
    for (const Routine routine : routines)
        for (const double alpha : {1e308, 1.7e308}) {
            Sample sample(routine, random, {{alpha, alpha}, {0.5, 0}, 8});
            EXPECT_TRUE(sample.verdict().right()) << name_of(routine) << " " << alpha;
            int finite = 0;
            for (Z& x : sample.c) {
                if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) continue;
                const Z right = x;
                x += 1e300;
                EXPECT_FALSE(sample.verdict().right()) << name_of(routine) << " " << alpha;
                x = right;
                ++finite;
            }
            EXPECT_GT(finite, 0) << name_of(routine);
        }
}

TEST(VerifyLevel3, what_cannot_overflow_must_be_finite) {
    Random random(8);
    for (const Routine routine : routines)
        for (const double alpha : {1e300, 1.0, 1e-300}) {
            Sample sample(routine, random, {{alpha, 0}, {0.5, 0}, 8});
            EXPECT_TRUE(sample.verdict().right()) << name_of(routine) << " " << alpha;
            for (const double value : {nan_value, std::numeric_limits<double>::infinity()}) {
                Z& x = sample.c[0];
                const Z right = x;
                x = value;
                EXPECT_FALSE(sample.verdict().right()) << name_of(routine) << " " << alpha;
                x = right;
            }
        }
}

TEST(VerifyLevel3, what_underflows_is_right_and_damage_above_it_is_not) {
    Random random(9);
    for (const Routine routine : routines)
        for (const double alpha : {1e-310, 1e-320, 5e-324}) {
            Sample sample(routine, random, {{alpha, 0}, {0, 0}, 8});
            EXPECT_TRUE(sample.verdict().right()) << name_of(routine) << " " << alpha;
            sample.c[0] += 1e-312;
            EXPECT_FALSE(sample.verdict().right()) << name_of(routine) << " " << alpha;
        }
}

TEST(VerifyLevel3, of_large_ones_a_part_of_every_block_is_looked_at) {
    const index_t n = 600;
    std::vector<float> a(static_cast<std::size_t>(n * n), 0.5F), b = a, c = a;
    Level3Args g;
    g.routine = Routine::symm, g.type = Type::s;
    g.m = g.n = g.k = n;
    g.alpha = {1, 0};
    g.a = a.data(), g.lda = n;
    g.b = b.data(), g.ldb = n;
    std::ranges::fill(c, 0.25F * static_cast<float>(n));
    g.c = c.data(), g.ldc = n;
    EXPECT_TRUE(verify_level3(g, a.data()).right());
    EXPECT_STREQ(verify_level3(g, a.data()).method, "elements of a grid");
    for (index_t j = 300; j < 320; ++j)
        for (index_t i = 100; i < 120; ++i) c[static_cast<std::size_t>(i + j * n)] += 1;
    EXPECT_FALSE(verify_level3(g, a.data()).right());
}

}  // namespace
}  // namespace gemmill::command
