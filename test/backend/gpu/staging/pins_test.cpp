// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/pins.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/fake_gpu.hpp"

namespace gemmill::test {
namespace {

bool is_pinned(const void* data) {
    GpuPlace place{};
    int device = 0;
    fake_gpu_driver().locate(data, &place, &device);
    return place == GpuPlace::pinned;
}

TEST(Pins, a_range_is_pinned_when_it_is_used_again_and_freed_in_the_end) {
    FakeGpus::instance().reset();
    std::array<std::byte, 64> a{};
    {
        Pins pins(fake_gpu_driver(), 64);
        EXPECT_FALSE(pins.use(a.data(), 64));
        EXPECT_FALSE(is_pinned(a.data()));
        EXPECT_TRUE(pins.use(a.data(), 64));
        EXPECT_TRUE(pins.use(a.data(), 64));
        EXPECT_FALSE(pins.use(a.data(), 32)) << "another range";
        EXPECT_TRUE(is_pinned(a.data()));
    }
    EXPECT_FALSE(is_pinned(a.data()));
}

TEST(Pins, who_was_used_longest_ago_makes_room) {
    FakeGpus::instance().reset();
    std::array<std::array<std::byte, 64>, 3> all{};
    Pins pins(fake_gpu_driver(), 128);
    for (const int i : {0, 0, 1, 1, 0, 2, 2}) pins.use(all[static_cast<std::size_t>(i)].data(), 64);
    EXPECT_TRUE(is_pinned(all[0].data()));
    EXPECT_FALSE(is_pinned(all[1].data()));
    EXPECT_TRUE(is_pinned(all[2].data()));
}

TEST(Pins, what_is_too_large_or_cannot_be_pinned_stays_as_it_is) {
    FakeGpus::instance().reset();
    std::array<std::byte, 64> a{};
    Pins none(fake_gpu_driver(), 0), small(fake_gpu_driver(), 32), fails(fake_gpu_driver(), 64);
    FakeGpus::instance().fail_after(FakeGpus::Call::pin, 0);
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(none.use(a.data(), 64));
        EXPECT_FALSE(small.use(a.data(), 64));
        EXPECT_FALSE(fails.use(a.data(), 64));
    }
    EXPECT_TRUE(fails.use(a.data(), 64)) << "the driver fails once only";
}

}  // namespace
}  // namespace gemmill::test
