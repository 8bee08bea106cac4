// SPDX-License-Identifier: Apache-2.0
#include "planner/split/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "task/problem.hpp"

namespace gemmill {
namespace {

/// One behind the other, and together the whole.
void expect_cover(const std::vector<Part>& parts, const Part& whole) {
    index_t next = whole.first;
    for (const Part& part : parts) {
        EXPECT_EQ(part.first, next);
        EXPECT_GT(part.count, 0);
        next += part.count;
    }
    EXPECT_EQ(next, whole.first + whole.count);
}

Machine machine_with_rates() {
    Machine machine;
    machine.devices.emplace_back();
    machine.devices[0].rates.push_back({Type::d, {1024}, {1024}, {1e12}});
    return machine;
}

TEST(Parts, taper_to_the_end) {
    for (const index_t whole : {1, 100, 1000, 16384, 16385})
        for (const index_t count : {1, 3, 8})
            for (const index_t halvings : {0, 1, 4})
                for (const Machine& machine : {Machine{}, machine_with_rates()}) {
                    const auto parts = taper(machine, {7, whole}, count, halvings);
                    expect_cover(parts, {7, whole});
                    EXPECT_LE(std::ssize(parts), count + halvings);
                }
    const auto parts = taper({}, {0, 4096}, 4, 2);
    EXPECT_EQ(parts.size(), 6U);
    EXPECT_EQ(parts.back().count, 256);
    EXPECT_TRUE(taper({}, {5, 0}, 4, 2).empty());
}

TEST(Parts, are_whole_blocks_where_rates_by_shape_are_known) {
    const auto parts = taper(machine_with_rates(), {0, 3000}, 4, 0);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) EXPECT_EQ(parts[i].count % 256, 0);
    EXPECT_EQ(block_of({}, 1000), 1);
    EXPECT_EQ(block_of(machine_with_rates(), 1000), 256);
    EXPECT_EQ(block_of(machine_with_rates(), 100), 128);
}

TEST(Parts, grow) {
    for (const index_t whole : {1, 127, 1000, 16384})
        for (const double growth : {1.0, 1.3, 2.0}) {
            const auto parts = growing({9, whole}, 8, growth);
            expect_cover(parts, {9, whole});
            EXPECT_LE(parts.size(), 8U);
        }
    const auto parts = growing({0, 16384}, 6, 2.0);
    EXPECT_TRUE(std::ranges::is_sorted(parts, {}, &Part::count));
    EXPECT_LT(8 * parts.front().count, parts.back().count);
}

TEST(Parts, in_one) {
    const std::vector<Part> parts{{3, 2}, {5, 4}, {9, 1}};
    EXPECT_EQ(span_of(parts), (Part{3, 7}));
    EXPECT_EQ(first_of(parts, 2), (Part{3, 6}));
    EXPECT_EQ(first_of(parts, 9), (Part{3, 7}));
}

TEST(Parts, are_stored_as_op_says) {
    Problem p;
    p.op_a = Op::Trans;
    p.op_b = Op::NoTrans;
    EXPECT_EQ(stored_tile(p, operand::A, {1, 2}, {3, 4}), (Tile{operand::A, 3, 1, 4, 2}));
    EXPECT_EQ(stored_tile(p, operand::B, {1, 2}, {3, 4}), (Tile{operand::B, 1, 3, 2, 4}));
    EXPECT_EQ(stored_tile(p, operand::C, {1, 2}, {3, 4}), (Tile{operand::C, 1, 3, 2, 4}));
    EXPECT_EQ(stored_tile(operand::B, Op::ConjTrans, {1, 2}, {3, 4}),
              (Tile{operand::B, 3, 1, 4, 2}));
}

}  // namespace
}  // namespace gemmill
