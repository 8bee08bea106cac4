// SPDX-License-Identifier: Apache-2.0
// Level 3 by the host BLAS against the loops.
#include "kernel/cpu/host/host_level3.hpp"

#include <gtest/gtest.h>

#include "support/level3_call.hpp"

namespace gemmill::test {
namespace {

class HostLevel3 : public ::testing::TestWithParam<Routine> {
  protected:
    static void SetUpTestSuite() { open_host_blas(""); }
};

TEST_P(HostLevel3, agrees_with_the_loops) {
    Random random(static_cast<std::uint64_t>(GetParam()) + 1);
    for (int i = 0; i < affordable(2000); ++i) {
        Level3Call c = random_level3(random, GetParam(), 50);
        c.layout = Layout::ColMajor;
        Level3Operands x(c, random);
        host_level3(x.args());
        ASSERT_TRUE(x.check()) << "case " << i;
    }
}

/// Blocks on and beside the diagonal, where the whole is larger than one of them.
TEST_P(HostLevel3, agrees_where_it_is_large) {
    Random random(77);
    for (int i = 0; i < affordable(8); ++i) {
        Level3Call c = random_level3(random, GetParam(), 300);
        c.layout = Layout::ColMajor;
        Level3Operands x(c, random);
        host_level3(x.args());
        ASSERT_TRUE(x.check()) << "case " << i;
    }
}

/// trmm of what lies elsewhere, into a sum.
TEST_F(HostLevel3, trmm_of_another_matrix) {
    Random random(78);
    for (int i = 0; i < affordable(500); ++i) {
        Level3Call c = random_level3(random, Routine::trmm, 50);
        c.layout = Layout::ColMajor;
        c.apart = true;
        Level3Operands x(c, random);
        host_level3(x.args());
        ASSERT_TRUE(x.check()) << "case " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(, HostLevel3, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name_of(routine.param)); });

}  // namespace
}  // namespace gemmill::test
