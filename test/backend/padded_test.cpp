// SPDX-License-Identifier: Apache-2.0
// Plans with a grain, on every backend: sizes that are no multiples of it, buffers that are.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/conformance.hpp"
#include "exec/run.hpp"
#include "support/level3_case.hpp"
#include "support/picky.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

constexpr index_t grains[] = {2, 4, 7, 16};

Plan padded_plan(const Problem& p, const Backend& backend, Random& random) {
    Options options;
    if (random.chance(40)) options.tile = random.between(5, 40);
    const Plan plan = make_plan(p, with_grain(backend.machine(), random.pick(grains)), options);
    EXPECT_TRUE(validate(plan).empty()) << validate(plan).front();
    return plan;
}

TEST_P(Conformance, products_of_odd_sizes_in_padded_buffers) {
    Random random(31);
    int padded = 0;
    for (int devices = 1; devices <= 3; ++devices) {
        const auto backend = make(devices);
        for (int i = 0; i < affordable(40) && !HasFailure(); ++i) {
            const Problem p = random_problem(random, backend->machine(), 90);
            const Plan plan = padded_plan(p, *backend, random);
            padded += plan.grain > 1 ? 1 : 0;
            Homes homes(*backend);
            Operands x(case_of(p, random), random, homes.of(p, random));
            x.allow_roundings(roundings(plan));
            run(plan, *backend, x.binding());
            ASSERT_TRUE(x.check()) << to_string(plan) << " grain " << plan.grain;
        }
    }
    EXPECT_GT(padded, 0);
}

TEST_P(Conformance, routines_of_odd_sizes_in_padded_buffers) {
    Random random(32);
    int padded = 0;
    for (int devices = 1; devices <= 3; ++devices) {
        const auto backend = make(devices);
        for (const Routine routine : level3_routines)
            for (int i = 0; i < affordable(6) && !HasFailure(); ++i) {
                const Problem p =
                    random_level3(random, routine, 90, std::ssize(backend->machine().memories));
                const Plan plan = padded_plan(p, *backend, random);
                padded += plan.grain > 1 ? 1 : 0;
                Homes homes(*backend);
                Level3Operands x(p, random, homes.of(p, random));
                run(plan, *backend, x.binding());
                ASSERT_TRUE(x.check()) << describe(p) << " grain " << plan.grain;
            }
    }
    EXPECT_GT(padded, 0);
}

/// Zeros of the padding must not meet an infinity: elements of C that it does not touch are finite.
TEST_P(Conformance, padding_meets_no_infinity) {
    constexpr index_t m = 37, n = 29, k = 23, row = 36, col = 28;
    const auto backend = make(1);
    for (const Op op_a : {Op::NoTrans, Op::Trans})
        for (const Op op_b : {Op::NoTrans, Op::Trans})
            for (const MemoryId home : {0, 1}) {
                if (home == 1 && find_link(backend->machine(), 1, 1) < 0) continue;
                Problem p;
                p.op_a = op_a, p.op_b = op_b, p.m = m, p.n = n, p.k = k;
                p.alpha = p.beta = Factor::one;
                p.home = {home, home, home};
                const Plan plan = make_plan(p, with_grain(backend->machine(), 16), {});
                ASSERT_EQ(plan.grain, 16);
                std::vector<double> a(m * k, 1), b(k * n, 1), c(m * n, 2);
                const auto at = [](Op op, index_t i, index_t j, index_t rows, index_t cols) {
                    return op == Op::NoTrans ? i + j * rows : j + i * cols;
                };
                a[at(op_a, row, k - 1, m, k)] = std::numeric_limits<double>::infinity();
                b[at(op_b, k - 1, col, k, n)] = std::numeric_limits<double>::quiet_NaN();
                const auto bytes = [](const auto& x) { return x.size() * sizeof(double); };
                std::array<void*, 3> there{};
                for (std::size_t o = 0; auto* x : {&a, &b, &c}) {
                    there[o] = backend->allocate(home, bytes(*x));
                    backend->copy(there[o++], x->data(), bytes(*x));
                }
                run(plan, *backend,
                    {{there[0], there[1], there[2]},
                     {op_a == Op::NoTrans ? m : k, op_b == Op::NoTrans ? k : n, m},
                     {1, 0},
                     {1, 0}});
                backend->copy(c.data(), there[2], bytes(c));
                for (void* block : there) backend->release(block);
                for (index_t j = 0; j < n; ++j)
                    for (index_t i = 0; i < m; ++i) {
                        const double x = c[i + j * m];
                        if (j == col)
                            EXPECT_TRUE(std::isnan(x)) << i << "," << j;
                        else if (i == row)
                            EXPECT_TRUE(std::isinf(x)) << i << "," << j;
                        else
                            EXPECT_EQ(x, k + 2) << i << "," << j;
                    }
            }
}

}  // namespace
}  // namespace gemmill::test
