// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/trials.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

using gemmill::BatchTrials;

namespace {

/// Makes calls whose times are known.
std::vector<int> calls(BatchTrials& trials, const std::vector<double>& seconds, int count) {
    std::vector<int> who;
    for (int i = 0; i < count; ++i) {
        const auto [candidate, timed] = trials.next();
        who.push_back(candidate);
        if (timed) trials.note(candidate, seconds[static_cast<std::size_t>(candidate)]);
    }
    return who;
}

}  // namespace

TEST(BatchTrials, each_candidate_makes_as_many_calls_and_the_fastest_all_others) {
    BatchTrials trials(4);
    const std::vector<int> who = calls(trials, {4.0, 3.0, 1.0, 2.0}, 20);
    std::map<int, int> count;
    for (std::size_t i = 0; i < 4 * BatchTrials::rounds; ++i) ++count[who[i]];
    for (int candidate = 0; candidate < 4; ++candidate)
        EXPECT_EQ(count[candidate], BatchTrials::rounds) << candidate;
    for (std::size_t i = 4 * BatchTrials::rounds; i < who.size(); ++i) EXPECT_EQ(who[i], 2) << i;
    EXPECT_FALSE(trials.has_turns());
}

TEST(BatchTrials, each_round_begins_with_another_candidate) {
    BatchTrials trials(3);
    EXPECT_EQ(calls(trials, {1, 1, 1}, 9), (std::vector<int>{0, 1, 2, 1, 2, 0, 2, 0, 1}));
}

TEST(BatchTrials, one_candidate_is_not_timed) {
    for (const int candidates : {0, 1}) {
        BatchTrials trials(candidates);
        EXPECT_FALSE(trials.has_turns());
        EXPECT_EQ(trials.next().candidate, 0);
        EXPECT_FALSE(trials.next().timed);
    }
}

TEST(BatchTrials, the_first_stays_where_another_is_hardly_faster) {
    BatchTrials trials(2);
    calls(trials, {1.0, 0.99}, 2 * BatchTrials::rounds);
    EXPECT_EQ(trials.best(), 0);
    trials.note(1, 0.9);
    EXPECT_EQ(trials.best(), 1);
}

TEST(BatchTrials, a_disturbed_call_does_not_count) {
    BatchTrials trials(2);
    trials.note(0, 2.0), trials.note(1, 100.0);
    trials.note(0, 2.0), trials.note(1, 1.0);
    EXPECT_EQ(trials.best(), 1);
}

TEST(BatchTrials, before_anything_is_known_the_first_is_the_best) {
    BatchTrials trials(3);
    while (trials.has_turns()) trials.next();
    EXPECT_EQ(trials.next().candidate, 0);
    trials.note(2, 1.0);  // those of the others have not come yet
    EXPECT_EQ(trials.next().candidate, 2);
}

TEST(BatchTrials, the_time_of_one_alone_may_be_wanted) {
    BatchTrials trials = BatchTrials::of_one();
    EXPECT_EQ(trials.least(), BatchTrials::unknown);
    EXPECT_EQ(calls(trials, {3.0}, 5), std::vector<int>(5, 0));
    EXPECT_EQ(trials.least(), 3.0);
    trials = BatchTrials::of_one();
    for (int i = 0; i < BatchTrials::fewer_rounds; ++i) EXPECT_TRUE(trials.next().timed);
    EXPECT_FALSE(trials.next().timed);
}

TEST(BatchTrials, what_is_known_has_no_turns_and_has_to_be_beaten) {
    const auto who = [](const std::vector<double>& seconds) {
        BatchTrials trials = BatchTrials::against(seconds[0], static_cast<int>(seconds.size()) - 1);
        return calls(trials, seconds, 6);
    };
    EXPECT_EQ(who({1.0, 0.9, 0.8}), (std::vector<int>{1, 2, 2, 1, 2, 2}));
    EXPECT_EQ(who({1.0, 0.99, 2.0}), (std::vector<int>{1, 2, 2, 1, 0, 0}));
    EXPECT_EQ(who({1.0, 0.9}), std::vector<int>(6, 1));
    EXPECT_EQ(who({1.0, 1.1}), (std::vector<int>{1, 1, 0, 0, 0, 0}));
}

TEST(BatchTrials, more_than_there_is_room_for_are_left_out) {
    BatchTrials trials(100);
    for (int i = 0; i < 100; ++i) EXPECT_LT(trials.next().candidate, BatchTrials::most);
}
