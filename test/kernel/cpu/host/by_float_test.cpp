// SPDX-License-Identifier: Apache-2.0
// Products of 16-bit types in blocks of floats: where blocks end, and what they may read.
#include "kernel/cpu/host/by_float.hpp"

#include <gtest/gtest.h>

#include "kernel/cpu/host/host_blas.hpp"
#include "support/gemm_case.hpp"

namespace gemmill::test {
namespace {

struct Calls {
    int count = 0;
    index_t largest = 0;
};
Calls calls;

/// The host BLAS, which must be given blocks of floats of the promised size.
void counting_sgemm(const GemmArgs& args) {
    EXPECT_EQ(args.type, Type::s);
    ++calls.count;
    calls.largest = std::max({calls.largest, args.m, args.n, args.k});
    host_gemm(args);
}

class ByFloat : public ::testing::TestWithParam<Type> {
  protected:
    static void SetUpTestSuite() { open_host_blas(""); }

    void check(GemmCase c, int wanted_calls) {
        c.type = GetParam();
        Random random(static_cast<std::uint64_t>(c.m + 3 * c.n + 7 * c.k));
        Operands x(c, random);
        x.allow_roundings(1);
        calls = {};
        gemm_by_float({c.type, c.op_a, c.op_b, c.m, c.n, c.k, c.alpha, x.a().data(), x.a().ld(),
                       x.b().data(), x.b().ld(), c.beta, x.c().data(), x.c().ld()},
                      counting_sgemm);
        EXPECT_TRUE(x.check());
        EXPECT_EQ(calls.count, wanted_calls);
        EXPECT_LE(calls.largest, float_block);
    }
};

GemmCase sized(index_t m, index_t n, index_t k) {
    GemmCase c;
    c.m = m, c.n = n, c.k = k;
    c.gap = {3, 0, 5};
    c.alpha = {0.75, 0}, c.beta = {-1.5, 0};
    return c;
}

TEST_P(ByFloat, every_dimension_is_cut) {
    constexpr index_t one_more = float_block + 1;
    check(sized(9, 17, 33), 1);
    check(sized(one_more, 5, 7), 2);
    check(sized(7, one_more, 5), 2);
    check(sized(5, 7, 2 * float_block + 3), 3);
    GemmCase c = sized(one_more, one_more, 3);
    c.op_a = Op::Trans, c.op_b = Op::ConjTrans;
    check(c, 4);
    c = sized(one_more, 3, one_more);
    c.op_a = Op::ConjTrans, c.op_b = Op::Trans;
    check(c, 4);
}

TEST_P(ByFloat, reads_only_what_it_may) {
    GemmCase c = sized(20, 30, float_block + 1);
    c.beta = {};
    check(c, 2);
    c.alpha = {};
    check(c, 1);
    c.beta = {0.5, 0};
    check(c, 1);
    c = sized(20, 30, 0);
    check(c, 1);
}

INSTANTIATE_TEST_SUITE_P(, ByFloat, ::testing::Values(Type::h, Type::b),
                         [](const auto& type) { return std::string(1, letter_of(type.param)); });

}  // namespace
}  // namespace gemmill::test
