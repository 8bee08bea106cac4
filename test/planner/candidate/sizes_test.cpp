// SPDX-License-Identifier: Apache-2.0
#include "planner/candidate/sizes.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(Sizes, are_in_whole_blocks) {
    EXPECT_EQ(tile_size(1000, 4096), 1024);
    EXPECT_EQ(tile_size(300, 4096), 320);
    EXPECT_EQ(tile_size(100, 4096), 100);
    EXPECT_EQ(tile_size(5000, 4096), 4096);
    EXPECT_EQ(tile_size(0, 0), 1);
    Problem p;
    p.routine = Routine::syrk;
    p.m = p.n = p.k = 4096;
    EXPECT_EQ(sizes_of(p), (Cut{4096, 4096}));
}

}  // namespace
}  // namespace gemmill::test
