// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/session/issue.hpp"

#include <gtest/gtest.h>

#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

/// A stream of the fake GPU, and a square of 3 x 3 in a buffer of 4 x 4.
struct Fixture {
    Fixture() {
        FakeGpus::instance().reset();
        driver.open_stream(0, false, &lane.stream);
        driver.open_blas(lane.stream, {}, &lane.blas);
    }
    ~Fixture() {
        driver.close_blas(lane.blas);
        driver.close_stream(lane.stream);
    }
    int run(const Task& task) {
        const int fault = issue(driver, lane, task);
        fake::finish(lane.stream);
        return fault;
    }

    const GpuDriver& driver = fake_gpu_driver();
    Lane lane;
    std::vector<double> from = std::vector<double>(16, 2), to = std::vector<double>(16, 7);
    BorderArgs border{to.data(), 4, 3, 3, sizeof(double), 1, 1};
};

TEST(Issue, a_copy_brings_its_block_and_clears_what_is_beside_it) {
    Fixture x;
    const CopyArgs copy{x.from.data(), 4, x.to.data(), 4, 3, 3, sizeof(double)};
    EXPECT_EQ(x.run({copy, x.border}), 0);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(x.to[i], i % 4 < 3 && i / 4 < 3 ? 2 : 0) << i;
}

TEST(Issue, a_copy_of_nothing_clears_all_the_same) {
    Fixture x;
    const CopyArgs copy{x.from.data(), 4, x.to.data(), 4, 3, 0, sizeof(double)};
    EXPECT_EQ(x.run({copy, x.border}), 0);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(x.to[i], i % 4 < 3 && i / 4 < 3 ? 7 : 0) << i;
}

TEST(Issue, a_sum_is_added_and_a_fault_is_the_driver_s) {
    Fixture x;
    const AddArgs add{Type::d, 4, 4, {3, 0}, x.from.data(), 4, x.to.data(), 4};
    EXPECT_EQ(x.run({add, {}}), 0);
    for (const double value : x.to) EXPECT_EQ(value, 13);
    FakeGpus::instance().fail_after(FakeGpus::Call::add, 0);
    EXPECT_EQ(x.run({add, {}}), FakeGpus::bad_call);
}

}  // namespace
}  // namespace gemmill::test
