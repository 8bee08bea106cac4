// SPDX-License-Identifier: Apache-2.0
// Bad arguments: which one is found first, what it is called, and what a row-major call means.
#include "api/check/arguments.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <limits>

#include "api/good_call.hpp"
#include "support/level3_call.hpp"

namespace gemmill::test {
namespace {

struct Step {
    int position;
    std::function<void(Level3Args&)> mend;
};

/// Everything that a routine checks, in netlib's order.
std::vector<Step> steps_of(Routine routine) {
    const Level3Args ok = good(routine);
    const auto side = [ok](Level3Args& x) { x.side = ok.side; };
    const auto uplo = [ok](Level3Args& x) { x.uplo = ok.uplo; };
    const auto diag = [ok](Level3Args& x) { x.diag = ok.diag; };
    const auto op_a = [ok](Level3Args& x) { x.op_a = ok.op_a; };
    const auto op_b = [ok](Level3Args& x) { x.op_b = ok.op_b; };
    const auto m = [ok](Level3Args& x) { x.m = ok.m; };
    const auto n = [ok](Level3Args& x) { x.n = ok.n; };
    const auto k = [ok](Level3Args& x) { x.k = ok.k; };
    const auto lda = [ok](Level3Args& x) { x.lda = ok.lda; };
    const auto ldb = [ok](Level3Args& x) { x.ldb = ok.ldb; };
    const auto ldc = [ok](Level3Args& x) { x.ldc = ok.ldc; };
    switch (routine) {
        case Routine::gemm:
            return {{1, op_a}, {2, op_b}, {3, m}, {4, n}, {5, k}, {8, lda}, {10, ldb}, {13, ldc}};
        case Routine::gemmt:
            return {{1, uplo}, {2, op_a}, {3, op_b}, {4, n},
                    {5, k},    {8, lda},  {10, ldb}, {13, ldc}};
        case Routine::symm:
        case Routine::hemm:
            return {{1, side}, {2, uplo}, {3, m}, {4, n}, {7, lda}, {9, ldb}, {12, ldc}};
        case Routine::syrk:
        case Routine::herk:
            return {{1, uplo}, {2, op_a}, {3, n}, {4, k}, {7, lda}, {10, ldc}};
        case Routine::syr2k:
        case Routine::her2k:
            return {{1, uplo}, {2, op_a}, {3, n}, {4, k}, {7, lda}, {9, ldb}, {12, ldc}};
        default:
            return {{1, side}, {2, uplo}, {3, op_a}, {4, diag},
                    {5, m},    {6, n},    {9, lda},  {11, ldc}};
    }
}

TEST(Arguments, are_checked_in_netlibs_order) {
    for (const Routine routine : all_routines) {
        Level3Args x = good(routine);
        EXPECT_EQ(first_fault(x), 0) << name_of(routine);
        x.side = Side(0), x.uplo = Uplo(0), x.diag = Diag(0), x.op_a = x.op_b = Op(0);
        // m is n for updates, and k is no argument where A is square.
        const bool square = x.m == x.n;
        x.n = -1, x.k = -1, x.m = -1;
        x.lda = x.ldb = x.ldc = 0;
        for (const Step& step : steps_of(routine)) {
            EXPECT_EQ(first_fault(x), step.position) << name_of(routine);
            step.mend(x);
            if (square) x.m = x.n;
        }
        EXPECT_EQ(first_fault(x), 0) << name_of(routine);
    }
}

TEST(Arguments, leading_dimensions_follow_flags) {
    for (const Op op : {Op::NoTrans, Op::Trans}) {
        Level3Args x = good(Routine::gemm);
        x.op_a = x.op_b = op;
        const bool plain = op == Op::NoTrans;
        x.lda = plain ? 3 : 4, x.ldb = plain ? 4 : 2;
        EXPECT_EQ(first_fault(x), 0);
        --x.lda;
        EXPECT_EQ(first_fault(x), 8);
        ++x.lda, --x.ldb;
        EXPECT_EQ(first_fault(x), 10);
        x = good(Routine::syrk);
        x.op_a = op, x.lda = plain ? 2 : 4;
        EXPECT_EQ(first_fault(x), 0);
        --x.lda;
        EXPECT_EQ(first_fault(x), 7);
    }
    Level3Args x = good(Routine::trsm);
    x.side = Side::Right, x.lda = 2;
    EXPECT_EQ(first_fault(x), 0);
    x.lda = 1;
    EXPECT_EQ(first_fault(x), 9);
    // Also of nothing they are 1 at least.
    x.m = x.n = 0, x.lda = 0;
    EXPECT_EQ(first_fault(x), 9);
    x.lda = x.ldc = 1;
    EXPECT_EQ(first_fault(x), 0);
}

TEST(Arguments, complex_updates_have_one_transpose_only) {
    const auto fault = [](Routine routine, Type type, Op op) {
        Level3Args x = good(routine);
        x.type = type, x.op_a = op, x.lda = x.ldb = 4;
        return first_fault(x);
    };
    for (const Routine routine : {Routine::syrk, Routine::syr2k}) {
        EXPECT_EQ(fault(routine, Type::z, Op::Trans), 0);
        EXPECT_EQ(fault(routine, Type::c, Op::ConjTrans), 2);
        EXPECT_EQ(fault(routine, Type::s, Op::ConjTrans), 0);
    }
    for (const Routine routine : {Routine::herk, Routine::her2k}) {
        EXPECT_EQ(fault(routine, Type::z, Op::Trans), 2);
        EXPECT_EQ(fault(routine, Type::c, Op::ConjTrans), 0);
    }
}

TEST(Arguments, a_call_transposed_twice_is_the_call) {
    Random random(1);
    for (const Routine routine : all_routines)
        for (int i = 0; i < 20; ++i) {
            Level3Args x = random_level3(random, routine, 9).args;
            x.alpha = {1, 2};
            Level3Args y = x;
            transpose(y);
            transpose(y);
            EXPECT_EQ(y.m, x.m);
            EXPECT_EQ(y.n, x.n);
            EXPECT_EQ(y.side, x.side);
            EXPECT_EQ(y.uplo, x.uplo);
            EXPECT_EQ(y.op_a, x.op_a) << name_of(routine);
            EXPECT_EQ(y.op_b, x.op_b);
            EXPECT_EQ(y.lda, x.lda);
            EXPECT_EQ(y.ldb, x.ldb);
            EXPECT_EQ(y.alpha, x.alpha);
            for (int p = 1; p <= 13; ++p)
                EXPECT_EQ(transposed_position(routine, transposed_position(routine, p)), p);
        }
    EXPECT_EQ(transposed_position(Routine::gemm, 8), 10);
    EXPECT_EQ(transposed_position(Routine::trsm, 5), 6);
    EXPECT_EQ(transposed_position(Routine::syrk, 3), 3);
}

/// Sizes that a matrix in memory cannot have: 2^63 bytes and more.
TEST(Arguments, matrices_that_cannot_exist) {
    constexpr index_t huge = std::numeric_limits<index_t>::max();
    for (const Routine routine : all_routines) {
        Level3Args x = good(routine);
        x.lda = x.ldb = x.ldc = huge;
        int found = 0;
        for (const Step& step : steps_of(routine))
            if (first_fault(x) == step.position) ++found, step.mend(x);
        EXPECT_EQ(first_fault(x), 0) << name_of(routine);
        EXPECT_GE(found, 2) << name_of(routine);
    }
    Level3Args x = good(Routine::gemm);
    x.m = x.n = x.k = x.lda = x.ldb = x.ldc = index_t{1} << 32;
    EXPECT_EQ(first_fault(x), 8);
    x.type = Type::h;
    EXPECT_EQ(first_fault(x), 8);
    x.m = x.n = x.k = x.lda = x.ldb = x.ldc = index_t{1} << 30;
    x.type = Type::s;
    EXPECT_EQ(first_fault(x), 0);
    x.type = Type::d;
    EXPECT_EQ(first_fault(x), 8);
    // Where there are no elements, or one column, no product of sizes is made.
    x = good(Routine::gemm);
    x.n = 0, x.ldb = x.ldc = huge;
    EXPECT_EQ(first_fault(x), 0);
    x.n = 1, x.op_b = Op::NoTrans;
    EXPECT_EQ(first_fault(x), 0);
}

TEST(Arguments, nothing_is_known_before_anything_is_touched) {
    Level3Args x = good(Routine::gemm);
    x.alpha = {2, 0}, x.beta = {1, 0};
    EXPECT_TRUE(multiplies(x));
    EXPECT_FALSE(is_nothing(x));
    x.alpha = {};
    EXPECT_FALSE(multiplies(x));
    EXPECT_TRUE(is_nothing(x));
    x.beta = {};
    EXPECT_FALSE(is_nothing(x));
    x.alpha = {2, 0}, x.k = 0, x.beta = {1, 0};
    EXPECT_TRUE(is_nothing(x));
    x = good(Routine::trsm);
    x.alpha = {}, x.beta = {1, 0};
    EXPECT_FALSE(is_nothing(x));  // B becomes zero
    x.m = 0;
    EXPECT_TRUE(is_nothing(x));
}

}  // namespace
}  // namespace gemmill::test
