// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/copies.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace gemmill::test {
namespace {

constexpr index_t size = 1100;  // of a matrix of doubles that is worth two threads

Address address(std::vector<double>& x) { return {reinterpret_cast<std::byte*>(x.data()), size}; }

std::vector<double> numbers() {
    std::vector<double> x(static_cast<std::size_t>(size * size));
    std::iota(x.begin(), x.end(), 1.0);
    return x;
}

Box whole() { return {{{size, 0, 0}}, {{size, 0, 0}}}; }

/// Counts the parts of copies, and does the last ones first.
LocalKernels counting(std::size_t& parts) {
    LocalKernels kernels;
    kernels.each = [&parts](std::size_t count,
                            const std::function<void(std::size_t, std::size_t)>& f) {
        parts += count;
        for (std::size_t i = count; i-- > 0;) f(i, 0);
    };
    return kernels;
}

TEST(BoxCopies, of_large_boxes_are_shared_among_threads) {
    std::size_t parts = 0;
    const LocalKernels kernels = counting(parts);
    const BoxCopies copies(Type::d, kernels);
    std::vector<double> from = numbers(), to(from.size()), message(from.size()), there(from.size());
    copies.put(whole(), address(from), address(to));
    EXPECT_EQ(parts, 2u);
    EXPECT_EQ(to, from);
    copies.pack(whole(), address(from), reinterpret_cast<std::byte*>(message.data()));
    copies.unpack(whole(), reinterpret_cast<const std::byte*>(message.data()), address(there));
    EXPECT_EQ(parts, 6u);
    EXPECT_EQ(there, from);
}

TEST(BoxCopies, of_small_boxes_are_not) {
    std::size_t parts = 0;
    const LocalKernels kernels = counting(parts);
    std::vector<double> from = numbers(), to(from.size());
    BoxCopies(Type::d, kernels).put({{{2, 1, 0}}, {{1, 3, 0}}}, address(from), address(to));
    EXPECT_EQ(parts, 0u);
    EXPECT_EQ(to[0], from[3 * size + 1]);
    EXPECT_EQ(to[1], from[3 * size + 2]);
    EXPECT_EQ(to[2], 0);
}

TEST(BoxCopies, of_a_device_go_from_place_to_place) {
    const LocalKernels kernels;
    std::vector<double> from = numbers(), to(from.size());
    std::vector<BlockCopy> blocks;
    BoxCopies(Type::d, kernels)
        .add_blocks({{{2, 1, 0}, {3, 7, 2}}, {{4, 3, 5}}}, address(from), address(to), blocks);
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[1].from, from.data() + 7 + 3 * size);
    EXPECT_EQ(blocks[1].to, to.data() + 2 + 5 * size);
    EXPECT_EQ(blocks[1].rows, 3 * bytes_of(Type::d));
    EXPECT_EQ(blocks[1].cols, 4);
}

}  // namespace
}  // namespace gemmill::test
