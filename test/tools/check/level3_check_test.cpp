// SPDX-License-Identifier: Apache-2.0
// Right results of every routine with all flags pass, and one wrong element does not.
#include "check/level3_check.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <set>
#include <vector>

#include "base/routine.hpp"
#include "bench/random/cases.hpp"
#include "kernel/reference/level3.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using namespace std::complex_literals;

/// A small random call on random matrices.
template <class T>
struct Sample {
    explicit Sample(const Problem& problem) {
        Given given;
        for (std::size_t o = 0; o < 3; ++o) {
            const Shape shape = stored_shape(problem, static_cast<OperandId>(o));
            data[o].resize(static_cast<std::size_t>(shape.rows * shape.cols));
            fill_random(problem.type, data[o].data(), shape.rows * shape.cols, seeds[o]);
            given.data[o] = data[o].data(), given.ld[o] = std::max<index_t>(1, shape.rows);
        }
        if (problem.routine == Routine::trsm)
            for (index_t i = 0; i < problem.k; ++i)
                data[0][static_cast<std::size_t>(i * (problem.k + 1))] = T(40);
        const bool complex = is_complex(problem.type);
        const bool rank_k = problem.routine == Routine::herk;
        given.alpha = {1.1, complex && !rank_k ? -0.3 : 0};
        const bool real_beta = is_hermitian(problem.routine) && writes_triangle(problem.routine);
        if (problem.beta != Factor::zero) given.beta = {0.9, complex && !real_beta ? 0.4 : 0};
        args = call_of(problem, given);
    }
    /// In the middle of the diagonal, which every routine writes.
    void damage(scalar_t<T> factor) {
        const index_t i = std::min(args.m, args.n) / 2;
        T& element = data[2][static_cast<std::size_t>(i + i * args.ldc)];
        element = T(scalar_t<T>(element) * factor);
    }

    std::array<std::vector<T>, 3> data;
    Level3Args args;
};

template <class T>
void expect_told_apart(const RandomCase& one, scalar_t<T> factor) {
    Sample<T> sample(one.problem);
    const Level3Check check(sample.args);
    EXPECT_GT(check.error(sample.args), 1) << name_of(one) << ": nothing was done";
    reference_level3(sample.args);
    EXPECT_LE(check.error(sample.args), 1) << name_of(one);
    sample.damage(factor);
    EXPECT_GT(check.error(sample.args), 1) << name_of(one);
}

TEST(Level3Check, tells_right_from_wrong_for_every_routine_and_flag) {
    for (std::uint64_t i = 0; i < 300; ++i) {
        const RandomCase one = random_case(11, i, {20, 70});
        if (one.problem.type == Type::s)
            expect_told_apart<float>(one, 1.1F);
        else
            expect_told_apart<double>(one, 1 + 1e-8);
    }
}

TEST(Level3Check, tells_right_from_wrong_in_complex_types) {
    std::set<Routine> seen;
    for (std::uint64_t i = 0; i < 300; ++i) {
        const Type type = i % 2 == 0 ? Type::c : Type::z;
        const RandomCase one = in_type(random_case(12, i, {20, 70}), 12, type);
        seen.insert(one.problem.routine);
        if (type == Type::c)
            expect_told_apart<std::complex<float>>(one, {1, 0.1F});
        else
            expect_told_apart<std::complex<double>>(one, {1, 1e-8});
    }
    EXPECT_EQ(seen.size(), 10U);
}

TEST(Level3Check, tells_right_from_wrong_in_16_bits) {
    for (std::uint64_t i = 0; i < 60; ++i) {
        RandomCase one = in_type(random_case(13, i, {20, 70}), 13, i % 2 == 0 ? Type::h : Type::b);
        one.problem.beta = Factor::general;
        if (one.problem.type == Type::h)
            expect_told_apart<half>(one, 16);
        else
            expect_told_apart<bfloat16>(one, 64);
    }
}

/// A hermitian matrix has no imaginary parts on its diagonal, whatever is stored there.
TEST(Level3Check, does_not_read_imaginary_parts_of_hermitian_diagonals) {
    RandomCase one = in_type(random_case(1, 0, {20, 70}), 1, Type::z);
    one.problem = Problem{};
    one.problem.routine = Routine::hemm, one.problem.type = Type::z;
    one.problem.m = one.problem.k = 40, one.problem.n = 30;
    one.problem.alpha = one.problem.beta = Factor::general;
    Sample<std::complex<double>> sample(one.problem), other(one.problem);
    for (index_t i = 0; i < 40; ++i) other.data[0][static_cast<std::size_t>(i * 41)] += 1i;
    const Level3Check check(sample.args);
    reference_level3(other.args);
    EXPECT_LE(check.error(other.args), 1);
}

}  // namespace
}  // namespace gemmill::command
