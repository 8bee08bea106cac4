// SPDX-License-Identifier: Apache-2.0
// Right results of every routine pass, and one element that is wrong, or touched, does not.
#include "verify_level3.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "base/routine.hpp"
#include "kernel/reference/level3.hpp"
#include "random.hpp"
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

/// A call on n x n matrices, done by plain loops.
struct Sample {
    Sample(Routine routine, Random& random) {
        args.routine = routine;
        args.type = Type::z;
        args.m = args.n = args.k = n;
        args.side = random.uniform() > 0 ? Side::Left : Side::Right;
        args.uplo = random.uniform() > 0 ? Uplo::Lower : Uplo::Upper;
        args.diag = random.uniform() > 0 ? Diag::Unit : Diag::NonUnit;
        const bool turned = random.uniform() > 0;
        if (turned) args.op_a = is_hermitian(routine) ? Op::ConjTrans : Op::Trans;
        if (random.uniform() > 0) args.op_b = Op::ConjTrans;
        args.alpha = {0.75, routine == Routine::herk ? 0 : 0.5};
        args.beta = {-1.25, 0};
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
