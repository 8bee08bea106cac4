// SPDX-License-Identifier: Apache-2.0
#include "tune/times.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"

namespace gemmill::command {
namespace {

TEST(TuneTimes, what_is_written_is_read) {
    const std::string line = "z pointers cn 10 63 1 2 0 7 1234: stage1x1 12.5 cublas 10\n";
    const std::vector<BatchResult> all = parse_times("# a GPU\n" + line);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(times_line(all[0]), line);
    EXPECT_EQ(all[0].timings.size(), 2U);
    EXPECT_DOUBLE_EQ(all[0].timings[1].seconds, 1e-5);
}

TEST(TuneTimes, batches_lie_as_they_did) {
    const Batch x = parse_times("d strided tn 10 63 5 2 0 7 100: far 1")[0].batch;
    EXPECT_EQ(x.a.ld.all, 7);
    EXPECT_EQ(x.a.stride, 70);
    EXPECT_EQ(x.b.ld.all, 5);
    EXPECT_EQ(x.c.stride, 17 * 63);
    EXPECT_EQ(x.c.array, nullptr);
    EXPECT_NE(parse_times("d pointers tn 10 63 5 2 0 7 100: far 1")[0].batch.c.array, nullptr);
}

TEST(TuneTimes, what_failed_or_is_wrong_is_left_out) {
    BatchResult r;
    r.one.m = r.one.n = r.one.k = 1, r.count = 1;
    r.timings = {{"wrong", 1e-6, 2, ""}, {"failed", 1e-6, 0, "why"}, {"right", 1e-6, 0, ""}};
    EXPECT_EQ(times_line(r), "d strided nn 1 1 1 0 0 0 1: right 1\n");
}

TEST(TuneTimes, other_lines_are_errors) {
    for (const char* line : {"d strided nn 1 1 1 0 0 0 1",
                             "q strided nn 1 1 1 0 0 0 1:", "d variable nn 1 1 1 0 0 0 1:",
                             "d strided nx 1 1 1 0 0 0 1:", "d strided nn 1 1 1 0 0 0 1: far"})
        EXPECT_THROW(parse_times(line), Error) << line;
}

}  // namespace
}  // namespace gemmill::command
