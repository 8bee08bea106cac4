// SPDX-License-Identifier: Apache-2.0
// Right results of every routine with all flags pass, and one wrong element does not.
#include "check/level3_check.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bench/random/cases.hpp"
#include "kernel/reference/level3.hpp"
#include "task/call.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

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
        given.alpha = {1.1, 0};
        if (problem.beta != Factor::zero) given.beta = {0.9, 0};
        args = call_of(problem, given);
    }
    /// In the middle of the diagonal, which every routine writes.
    void damage(T factor) {
        const index_t i = std::min(args.m, args.n) / 2;
        data[2][static_cast<std::size_t>(i + i * args.ldc)] *= factor;
    }

    std::array<std::vector<T>, 3> data;
    Level3Args args;
};

template <class T>
void expect_told_apart(const RandomCase& one, T factor) {
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

}  // namespace
}  // namespace gemmill::command
