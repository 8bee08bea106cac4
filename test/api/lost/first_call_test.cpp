// SPDX-License-Identifier: Apache-2.0
// The first large call where no GPU is: nothing of CUDA is opened for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/text.hpp"
#include "gemmill/gemmill.hpp"
#include "support/own_process.hpp"

namespace gemmill::test {
namespace {

TEST(FirstCall, opens_nothing_of_cuda_without_a_gpu) {
    if (ran_in_own_process()) return;
    ::setenv("FAKE_GPUS", "0", 1);
    Context context{Options{}};
    constexpr index_t n = 400;
    std::vector<double> a(n * n, 1), b(n * n, 1), c(n * n);
    gemm<double>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, n, n, n, 1.0, a.data(), n,
                 b.data(), n, 0.0, c.data(), n);
    EXPECT_TRUE(std::ranges::all_of(c, [](double x) { return x == n; }));
    EXPECT_EQ(context.machine().devices.size(), 1U);
    EXPECT_EQ(read_file("/proc/self/maps").find("libgemmill_cuda"), std::string::npos);
    ::setenv("FAKE_GPUS", "1", 1);
}

}  // namespace
}  // namespace gemmill::test
