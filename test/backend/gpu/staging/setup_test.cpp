// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/setup.hpp"

#include <gtest/gtest.h>

namespace gemmill::test {
namespace {

TEST(StagingSetup, slots_hold_more_than_the_threads_own_caches) {
    for (const int threads : {1, 4, 8, 16})
        for (const index_t slot : {1 << 16, 1 << 20, 4 << 20, 1 << 26}) {
            const StagingSetup setup = staging_with(threads, slot);
            EXPECT_EQ(setup.threads, threads);
            EXPECT_EQ(setup.slot_bytes, slot);
            EXPECT_GT(setup.own_caches, 0);
            EXPECT_GE(2 * setup.slots, 3 * threads);
            EXPECT_GE(2 * setup.slots * slot, 3 * setup.own_caches);
        }
}

/// What all cores share should hold them: no more than is needed.
TEST(StagingSetup, there_are_no_more_slots_than_needed) {
    const StagingSetup setup = staging_with(8, 4 << 20);
    const index_t one_less = setup.slots - 1;
    EXPECT_TRUE(2 * one_less < 3 * setup.threads ||
                2 * one_less * setup.slot_bytes < 3 * setup.own_caches);
}

}  // namespace
}  // namespace gemmill::test
