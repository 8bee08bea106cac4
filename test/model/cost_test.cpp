// SPDX-License-Identifier: Apache-2.0
#include "model/cost.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

Device measured() {
    Device device;
    device.peak.fill(100);
    device.rates.push_back({Type::d, {100, 400}, {10, 40}, {10, 20, 30, 60}});
    return device;
}

TEST(KernelRate, is_the_peak_where_nothing_was_measured) {
    EXPECT_EQ(kernel_rate(measured(), Type::s, 5, 5, 5), 100);
}

TEST(KernelRate, is_what_was_measured_of_a_shape_and_of_all_of_its_area) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 10), 10);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 40), 20);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 400, 400, 10), 30);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 1600, 100, 40), 60);
}

TEST(KernelRate, lies_between_by_logarithms) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 200, 200, 10), 20);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 100, 100, 20), 15);
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 200, 200, 20), 30);
}

TEST(KernelRate, stays_beyond_the_largest_and_takes_as_long_before_the_smallest) {
    const Device device = measured();
    EXPECT_DOUBLE_EQ(kernel_rate(device, Type::d, 9000, 9000, 9000), 60);
    const auto seconds = [&](double m, double n, double k) {
        return m * n * k / kernel_rate(device, Type::d, m, n, k);
    };
    EXPECT_DOUBLE_EQ(seconds(50, 20, 10), seconds(100, 100, 10));
    EXPECT_DOUBLE_EQ(seconds(100, 100, 3), seconds(100, 100, 10));
}

}  // namespace
}  // namespace gemmill::test
