// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "support/few_threads.hpp"

namespace gemmill {
namespace {

TEST(Team, every_index_once) {
    Team team(4);
    for (const index_t count : {0, 1, 7, 1000, 12345})
        for (const index_t part : {1, 3, 64, 20000}) {
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
            team.run(count, part, [&](index_t first, index_t last) {
                EXPECT_LE(last - first, part);
                for (index_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
            });
            for (const auto& times : seen) ASSERT_EQ(times, 1);
        }
}

TEST(Team, an_exception_comes_out_and_the_team_goes_on) {
    Team team(3);
    const auto bad = [](index_t first, index_t) {
        if (first == 40) throw std::runtime_error("no");
    };
    EXPECT_THROW(team.run(100, 1, bad), std::runtime_error);
    std::atomic<index_t> sum = 0;
    team.run(100, 1, [&](index_t first, index_t) { sum += first; });
    EXPECT_EQ(sum, 4950);
}

TEST(Team, several_callers) {
    Team team(3);
    std::atomic<index_t> sum = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                team.run(200, 7, [&](index_t first, index_t last) { sum += last - first; });
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(sum, 4 * 50 * 200);
}

TEST(Team, works_with_the_threads_that_there_are) {
    for (const int threads : {0, 1, 2}) {
        const test::FewThreads few(threads);
        Team team(4);
        for (int round = 0; round < 3; ++round) {
            std::atomic<index_t> sum = 0;
            team.run(100, 3, [&](index_t first, index_t last) { sum += last - first; });
            EXPECT_EQ(sum, 100);
        }
    }
}

}  // namespace
}  // namespace gemmill
