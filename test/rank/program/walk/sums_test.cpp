// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace gemmill::test {
namespace {

constexpr index_t rows = 3, cols = 4;

/// C = 2 C + sums, all of it in one block.
struct Case {
    Case() {
        update.beta = {2, 0};
        update.c.at = {{reinterpret_cast<std::byte*>(c.data()), rows}};
        program.sums_ld = rows;
        program.sums_bytes = rows * cols * bytes_of(update.type);
        program.blocks = {{{{0, rows, 0}}, {{0, cols, 0}}}};
        kernels.memory.copy_own = [this](void* to, const void* from, std::int64_t bytes) {
            copied += bytes;
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        };
    }
    RankSums sums() { return {program, update, kernels, bytes(arena)}; }
    static std::byte* bytes(std::vector<double>& x) {
        return reinterpret_cast<std::byte*>(x.data());
    }
    static std::vector<double> all(double x) {
        return std::vector<double>(static_cast<std::size_t>(rows * cols), x);
    }

    std::vector<double> arena = all(5), device = all(7), c = all(1);
    DistUpdate update;
    RankProgram program;
    LocalKernels kernels;
    std::int64_t copied = 0;
};

TEST(RankSums, lie_in_the_arena_where_there_is_no_device) {
    Case x;
    RankSums sums = x.sums();
    sums.write(x.program.blocks[0], 1, 2);
    EXPECT_EQ(x.c, (std::vector<double>{1, 1, 1, 7, 7, 7, 7, 7, 7, 1, 1, 1}));
    sums.bring();
    EXPECT_EQ(x.arena, Case::all(5));
    sums.clear();
    EXPECT_EQ(x.arena, Case::all(0));
    EXPECT_EQ(x.copied, 0);
}

TEST(RankSums, of_a_device_pass_through_the_arena) {
    Case x;
    RankSums sums = x.sums();
    sums.move_to(Case::bytes(x.device));
    sums.write(x.program.blocks[0], 0, cols);
    EXPECT_EQ(x.c, Case::all(9));
    EXPECT_EQ(x.copied, x.program.sums_bytes);
    std::ranges::fill(x.arena, 0);
    sums.bring();
    EXPECT_EQ(x.arena, Case::all(7));
    sums.clear();
    EXPECT_EQ(x.device, Case::all(0));
}

}  // namespace
}  // namespace gemmill::test
