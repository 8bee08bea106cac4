// SPDX-License-Identifier: Apache-2.0
#include "rank/message/mirror.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/counting_device.hpp"

namespace gemmill::test {
namespace {

constexpr index_t ld = 7, cols = 6;

/// A 6 x 6 matrix of one rank in an array with a gap below each column.
class MirrorTest : public testing::Test {
  protected:
    MirrorTest() {
        std::iota(values.begin(), values.end(), 0.0);
        there = device->allocate(bytes);
        device->copy(there, values.data(), bytes);
        BlockCyclic x;
        x.rows = x.cols = cols, x.row_block = x.col_block = 2;
        whole = Distribution(x, 1);
    }
    std::vector<double> on_device() const {
        std::vector<double> all(values.size());
        device->copy(all.data(), there, bytes);
        return all;
    }

    static constexpr std::int64_t bytes = ld * cols * 8;
    std::shared_ptr<CountingDevice> device = std::make_shared<CountingDevice>(0);
    DeviceMemory memory = CountingDevice::memory(device);
    std::vector<double> values = std::vector<double>(ld * cols);
    std::byte* there = nullptr;
    Distribution whole;
};

TEST_F(MirrorTest, what_lies_on_the_host_stays_as_it_is) {
    const Address at{reinterpret_cast<std::byte*>(values.data()), ld};
    const Mirror mirror({whole, {at}}, Type::d, 0, memory);
    EXPECT_EQ(mirror.matrix().at.front().data, at.data);
    EXPECT_EQ(mirror.matrix().home().data, at.data);
    EXPECT_TRUE(mirror.matrix().device.empty());
    EXPECT_EQ(mirror.bytes(), 0);
}

TEST_F(MirrorTest, brings_a_part_once_and_takes_back_nothing_beside_it) {
    Mirror mirror({whole.part(1, 2, 3, 2), {{there, ld}}}, Type::d, 0, memory);
    EXPECT_EQ(mirror.matrix().home().data, there);
    const std::int64_t before = device->out;
    mirror.bring();
    mirror.bring();
    EXPECT_EQ(device->out - before, mirror.bytes());
    auto* here = reinterpret_cast<double*>(mirror.matrix().at.front().data);
    for (index_t j = 2; j < 4; ++j)
        for (index_t i = 1; i < 4; ++i) {
            EXPECT_EQ(here[i + j * ld], static_cast<double>(i + j * ld));
            here[i + j * ld] = -1;
        }
    const std::int64_t in = device->c_in;
    mirror.take_back();
    EXPECT_EQ(device->c_in - in, 8 * 3 * 2);
    const std::vector<double> all = on_device();
    for (index_t j = 0; j < cols; ++j)
        for (index_t i = 0; i < ld; ++i) {
            const bool inside = i >= 1 && i < 4 && j >= 2 && j < 4;
            EXPECT_EQ(all[static_cast<std::size_t>(i + j * ld)],
                      inside ? -1.0 : static_cast<double>(i + j * ld));
        }
}

TEST_F(MirrorTest, columns_without_gaps_are_one_copy) {
    Mirror mirror({whole, {{there, cols}}}, Type::d, 0, memory);
    mirror.bring();
    const std::int64_t in = device->c_in;
    mirror.take_back();
    EXPECT_EQ(device->c_in - in, 8 * cols * cols);
    EXPECT_EQ(on_device(), values);
}

}  // namespace
}  // namespace gemmill::test
