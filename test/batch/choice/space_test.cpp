// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gemmill {
namespace {

TEST(Space, every_candidate_is_left_or_removed_once) {
    for (const Type type : {Type::d, Type::z, Type::s}) {
        const Space space = pipe_space(type);
        std::size_t counted = space.left.size();
        for (const auto& rule : space.removed) counted += rule.count;
        EXPECT_EQ(counted, space.all);
        EXPECT_FALSE(space.left.empty());
        EXPECT_LT(space.left.size(), space.all / 10);
    }
}

TEST(Space, what_is_left_breaks_no_rule) {
    const GpuLimits limits;
    const auto rules = pipe_rules(Type::d, limits);
    for (const PipeCandidate& c : pipe_space(Type::d, limits).left)
        for (const SpaceRule& rule : rules) ASSERT_TRUE(rule.holds(c)) << to_text(c) << rule.words;
}

/// By what the compiler said of them, 2026-11-15.
TEST(Space, resources_of_known_kernels) {
    const PipeCandidate of_64{16, 8, 2, 4, 2, 2, 16, 3};
    EXPECT_EQ(to_text(of_64), "PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>");
    EXPECT_EQ(of_64.tile_m(), 64);
    EXPECT_EQ(of_64.threads(), 128);
    EXPECT_EQ(shared_bytes(of_64, Type::d), 3 * 2 * 64 * 20 * 8 + 8 * 80);
    EXPECT_NEAR(registers_about(of_64, Type::d), 192, 40);
    EXPECT_NEAR(registers_about({16, 8, 1, 2, 2, 2, 16, 4}, Type::d), 112, 30);
    EXPECT_GE(blocks_at_once(of_64, Type::d, {}), 2);
}

TEST(Space, kernels_that_are_compiled_in_are_among_them) {
    const auto left = pipe_space(Type::d).left;
    for (const PipeCandidate& c : {PipeCandidate{16, 8, 1, 2, 2, 2, 16, 4},
                                   {8, 8, 3, 3, 2, 2, 16, 3},
                                   {16, 8, 2, 4, 2, 2, 8, 4},
                                   {16, 8, 2, 4, 2, 2, 16, 3}})
        EXPECT_NE(std::ranges::find(left, c), left.end()) << to_text(c);
}

TEST(Space, less_shared_memory_leaves_fewer) {
    GpuLimits small;
    small.shared_of_block = small.shared = 48 << 10;
    EXPECT_LT(pipe_space(Type::d, small).left.size(), pipe_space(Type::d).left.size());
}

}  // namespace
}  // namespace gemmill
