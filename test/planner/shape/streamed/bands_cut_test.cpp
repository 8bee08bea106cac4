// SPDX-License-Identifier: Apache-2.0
#include "planner/shape/streamed/bands_cut.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "planner/split/parts.hpp"
#include "support/frame.hpp"

namespace gemmill::test {
namespace {

constexpr index_t n = 3000;

Draft frame_with(std::int64_t limit) {
    Draft frame = frame_of(synthetic_machine("gpu:1(mem=1GB,d=1T)"), problem_of(n, n, {0, 0, 0}));
    frame.limit[1] = limit;
    return frame;
}

Strips strips_of(index_t bands) {
    Strips s;
    s.front = 0.3, s.panels = 4, s.strips = 3, s.bands = bands;
    return s;
}

TEST(BandCut, fewer_bands_the_more_memory_there_is) {
    index_t before = n;
    for (const std::int64_t limit : {30'000'000, 60'000'000, 120'000'000, 500'000'000}) {
        const BandCut cut = find_cut(frame_with(limit), strips_of(1), 1);
        EXPECT_LE(cut.bands, before);
        before = cut.bands;
        EXPECT_GE(cut.bands * cut.rows, n);
        EXPECT_LT((cut.bands - 1) * cut.rows, n);
        EXPECT_EQ(span_of(cut.front).count + span_of(cut.rest).count, n);
        const std::int64_t a = cut.bands == 1 ? slot_bytes(cut.rows, n, Type::d, 1)
                                              : slot_bytes(cut.rows, n + cut.head, Type::d, 1);
        EXPECT_LE(a + cut.front_c + cut.seats * (cut.seat_b + cut.seat_c), limit);
    }
    EXPECT_EQ(before, 1);
    EXPECT_EQ(find_cut(frame_with(500'000'000), strips_of(4), 1).bands, 4);
}

TEST(BandCut, memory_may_be_too_small_for_any) {
    try {
        find_cut(frame_with(1'000'000), strips_of(1), 1);
        FAIL() << "it fits";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
    }
}

}  // namespace
}  // namespace gemmill::test
