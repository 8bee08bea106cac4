// SPDX-License-Identifier: Apache-2.0
#include "kernel/cuda/part/banks.hpp"

#include <gtest/gtest.h>

namespace gemmill::batch {
namespace {

TEST(BatchBanks, neighbours_are_read_at_once) {
    const auto in_order = [](int lane) { return lane; };
    EXPECT_EQ(reads_of_warp(32, 4, 4, in_order), 1);
    EXPECT_EQ(reads_of_warp(32, 8, 8, in_order), 2) << "half a warp at a time";
    EXPECT_EQ(reads_of_warp(32, 16, 16, in_order), 4);
    EXPECT_EQ(reads_of_warp(8, 8, 8, in_order), 1) << "of few lanes";
}

TEST(BatchBanks, one_word_is_read_once_and_words_of_one_bank_one_after_the_other) {
    EXPECT_EQ(reads_of_warp(32, 4, 4, [](int) { return 7; }), 1);
    EXPECT_EQ(reads_of_warp(32, 4, 4, [](int lane) { return 32 * lane; }), 32);
    EXPECT_EQ(reads_of_warp(32, 4, 4, [](int lane) { return 33 * lane; }), 1);
    EXPECT_EQ(reads_of_warp(32, 4, 4, [](int lane) { return 16 * lane; }), 16) << "two banks";
}

}  // namespace
}  // namespace gemmill::batch
