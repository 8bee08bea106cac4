// SPDX-License-Identifier: Apache-2.0
#include "mpi/segment.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gemmill/error.hpp"

namespace gemmill::test {
namespace {

TEST(Segment, another_process_sees_and_writes_it) {
    const auto segment = Segment::make(10'000);
    segment->data()[9'999] = std::byte{7};
    const int parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        const auto there = Segment::of_process(parent, segment->fd(), 10'000);
        const bool seen = there->data() != segment->data() && there->data()[9'999] == std::byte{7};
        there->data()[0] = std::byte{5};
        _exit(seen ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(segment->data()[0], std::byte{5});
}

TEST(Segment, one_that_is_not_there_is_an_error) {
    const auto segment = Segment::make(100);
    EXPECT_THROW(Segment::of_process(getpid(), 100'000, 100), Error);
    EXPECT_THROW(Segment::make(std::int64_t{1} << 62), Error);
}

}  // namespace
}  // namespace gemmill::test
