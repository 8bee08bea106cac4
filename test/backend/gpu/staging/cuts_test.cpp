// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/cuts.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace gemmill::test {
namespace {

constexpr index_t rows = 37, cols = 11, ld = 40;

/// A copy of part of a matrix, into one of the same leading dimension.
CopyArgs copy_of(const std::vector<double>& from, std::vector<double>& to, Triangle triangle) {
    CopyArgs args{from.data(), ld, to.data(), ld, rows, cols, sizeof(double)};
    args.triangle = triangle;
    args.shift = -3;
    return args;
}

std::vector<double> numbers() {
    std::vector<double> all(ld * cols);
    std::iota(all.begin(), all.end(), 1.0);
    return all;
}

TEST(Cuts, parts_by_way_of_a_slot_and_in_shares_make_the_whole) {
    const std::vector<double> from = numbers();
    for (const Triangle triangle : {Triangle::none, Triangle::lower, Triangle::upper})
        for (const index_t slot_bytes : {8, 100, 300, 1000, 100000})
            for (const int most : {1, 2, 5, 16}) {
                std::vector<double> expected(from.size()), to(from.size());
                copy_now(copy_of(from, expected, triangle));
                const CopyArgs all = copy_of(from, to, triangle);
                std::vector<double> slot(1 + static_cast<std::size_t>(slot_bytes) / 8);
                auto* const place = reinterpret_cast<std::byte*>(slot.data());
                for (index_t i = 0; i < parts_of(all, slot_bytes); ++i) {
                    const CopyArgs part = part_of(all, i, slot_bytes);
                    ASSERT_LE(part.rows * part.cols * part.bytes, std::max<index_t>(slot_bytes, 8));
                    for (const CopyArgs& way : {to_slot(part, place), from_slot(part, place)}) {
                        const int shares = shares_of(way, 24, most);
                        for (int s = 0; s < shares; ++s) copy_now(share_of(way, s, shares));
                    }
                }
                ASSERT_EQ(to, expected) << slot_bytes << " " << most;
            }
}

TEST(Cuts, shares_have_a_least_size_and_a_line_each) {
    std::vector<double> from = numbers(), to(from.size());
    const CopyArgs all = copy_of(from, to, Triangle::none);
    EXPECT_EQ(shares_of(all, index_t{1} << 20, 8), 1);
    EXPECT_EQ(shares_of(all, rows * cols * 8 / 3, 8), 3);
    EXPECT_EQ(shares_of(all, 1, 8), 8);
    EXPECT_EQ(shares_of(all, 1, 1000), rows);
}

}  // namespace
}  // namespace gemmill::test
