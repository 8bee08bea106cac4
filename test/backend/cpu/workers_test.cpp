// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "gemmill/error.hpp"
#include "support/few_threads.hpp"

namespace gemmill {
namespace {

TEST(Workers, do_every_job) {
    std::atomic<int> done = 0;
    std::latch all(300);
    Workers workers(3, 2);
    for (std::size_t i = 0; i < 300; ++i) workers.add(i % 3, [&] { ++done, all.count_down(); });
    all.wait();
    EXPECT_EQ(done, 300);
}

TEST(Workers, one_thread_keeps_the_order_of_its_line) {
    std::vector<int> seen;
    std::latch all(100);
    Workers workers(1, 1);
    for (int i = 0; i < 100; ++i) workers.add(0, [&, i] { seen.push_back(i), all.count_down(); });
    all.wait();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(Workers, groups_do_not_wait_for_each_other) {
    std::latch second(1), first(1);
    Workers workers(2, 1);
    workers.add(0, [&] { second.wait(), first.count_down(); });
    workers.add(1, [&] { second.count_down(); });
    first.wait();
}

TEST(Workers, drain_waits_for_what_runs_and_drops_the_rest) {
    for (int i = 0; i < 50; ++i) {
        std::atomic<int> started = 0, ended = 0;
        Workers workers(2, 2);
        for (std::size_t j = 0; j < 40; ++j) workers.add(j % 2, [&] { ++started, ++ended; });
        workers.drain();
        const int after = started;
        EXPECT_EQ(ended, after);
        std::latch later(1);
        workers.add(0, [&] { later.count_down(); });
        later.wait();
        EXPECT_EQ(started, after) << "a dropped job ran";
    }
}

/// Threads for one group, for some groups, for all but one second thread.
TEST(Workers, share_the_threads_that_there_are) {
    for (const int threads : {1, 2, 3, 5}) {
        const test::FewThreads few(threads);
        std::atomic<int> done = 0;
        std::latch all(90);
        Workers workers(3, 2);
        for (std::size_t i = 0; i < 90; ++i) workers.add(i % 3, [&] { ++done, all.count_down(); });
        all.wait();
        EXPECT_EQ(done, 90);
    }
}

TEST(Workers, without_a_thread_there_are_none) {
    const test::FewThreads none(0);
    try {
        Workers workers(2, 2);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory);
        EXPECT_NE(error.text().find("thread"), std::string::npos) << error.what();
    }
}

TEST(Workers, may_end_with_jobs_in_line) {
    std::atomic<int> ran = 0;
    for (int i = 0; i < 50; ++i) {
        Workers workers(2, 1);
        for (std::size_t j = 0; j < 20; ++j) workers.add(j % 2, [&] { ++ran; });
    }
    EXPECT_LE(ran, 1000);
}

}  // namespace
}  // namespace gemmill
