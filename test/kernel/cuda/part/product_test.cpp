// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the element types.
#include <cmath>
#include <limits>

#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/part/product.cuh"

namespace gemmill::test {
namespace {

/// All four products, and none by one.
TEST(BatchKernels, beta_c_of_complex_numbers) {
    using N = Number<cuDoubleComplex>;
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const cuDoubleComplex lost = N::scaled({-1, -0.0}, {nan, -inf});
    EXPECT_TRUE(std::isnan(lost.x) && std::isnan(lost.y));
    const cuDoubleComplex kept = N::scaled({1, 0}, {1, inf});
    EXPECT_EQ(kept.x, 1);
    EXPECT_EQ(kept.y, inf);
    const cuDoubleComplex half = N::scaled({0.5, 0}, {1, inf});
    EXPECT_TRUE(std::isnan(half.x));
    EXPECT_EQ(half.y, inf);
    const cuDoubleComplex product = N::scaled({2, -3}, {4, 5});
    EXPECT_EQ(product.x, 23);
    EXPECT_EQ(product.y, -2);
}

}  // namespace
}  // namespace gemmill::test
