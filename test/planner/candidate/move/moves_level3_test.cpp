// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "planner/candidate/move/moves.hpp"
#include "planner/candidate/sizes.hpp"

namespace gemmill::test {
namespace {

Problem problem(Routine routine) {
    Problem p;
    p.routine = routine;
    p.m = p.n = p.k = 4096;
    p.alpha = Factor::general;
    return p;
}

Choice choice_of(std::vector<DeviceId> devices) {
    Choice c;
    c.devices = std::move(devices);
    c.cut = {1024, 1024, 2, 2};
    c.outer = 0.5;
    return c;
}

/// What each move makes of a choice that it can change.
std::vector<Choice> changed(const Problem& p, const Choice& from) {
    std::vector<Choice> all;
    for (const Move& move : level3_moves_for(p, from))
        if (Candidate next{{}, from}; move(next)) all.push_back(next.choice);
    return all;
}

TEST(Level3Moves, change_one_thing) {
    for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm, Routine::trsm})
        for (const std::vector<DeviceId>& devices : {std::vector<DeviceId>{0}, {0, 1, 2}}) {
            const Choice from = choice_of(devices);
            for (const Choice& next : changed(problem(routine), from)) {
                const int parts = (next.cut != from.cut) + (next.outer != from.outer) +
                                  (next.late != from.late) + (next.ahead != from.ahead) +
                                  (next.singly != from.singly) + (next.tall != from.tall);
                EXPECT_EQ(parts, 1);
                EXPECT_EQ(next.devices, from.devices);
                EXPECT_GE(next.cut.edge, least_edge);
                EXPECT_GE(next.cut.other, least_edge);
            }
        }
}

TEST(Level3Moves, lines_have_a_tail_of_their_own_on_one_device) {
    const auto moves_tail = [](Routine routine, std::vector<DeviceId> devices) {
        const Choice from = choice_of(std::move(devices));
        int count = 0;
        for (const Choice& next : changed(problem(routine), from))
            count += next.cut.tail != from.cut.tail && next.cut.taper == from.cut.taper;
        return count;
    };
    EXPECT_EQ(moves_tail(Routine::trmm, {0}), 2);
    EXPECT_EQ(moves_tail(Routine::symm, {0}), 2);
    EXPECT_EQ(moves_tail(Routine::trmm, {0, 1}), 0);
    EXPECT_EQ(moves_tail(Routine::syrk, {0}), 0);
}

/// A front of all lines leaves none to be cut, and trmm and trsm read no C apart.
TEST(Level3Moves, where_several_devices_hold_all_of_a_nothing_is_changed_that_makes_no_difference) {
    Choice from = choice_of({0, 1, 2});
    from.tall = true;
    const auto changes_lines = [&](const Problem& p) {
        const std::vector<Choice> all = changed(p, from);
        return std::ranges::any_of(all, [&](const Choice& next) {
            return next.cut.other != from.cut.other || next.late != from.late;
        });
    };
    for (const Routine routine : {Routine::trmm, Routine::trsm}) {
        from.outer = 1;
        EXPECT_FALSE(changes_lines(problem(routine))) << name_of(routine);
        from.outer = 0.5;
        EXPECT_TRUE(changes_lines(problem(routine))) << name_of(routine);
    }
    for (const Choice& next : changed(problem(Routine::syrk), from))
        EXPECT_TRUE(next.outer == from.outer || std::abs(next.outer - from.outer) == 0.25)
            << "one of four parts of k";
}

/// A step of no whole line, or part of k, would be no change.
TEST(Level3Moves, what_goes_first_changes_by_whole_lines) {
    Choice from = choice_of({0});
    from.tall = true;
    const Cut whole = sizes_of(problem(Routine::trmm));
    from.cut.other = whole.other / 3 + 1, from.outer = 0.4;
    const std::vector<Choice> all = changed(problem(Routine::trmm), from);
    const auto by_a_line = [&](const Choice& next) {
        const double lines = std::abs(next.outer - from.outer) * static_cast<double>(whole.other) /
                             static_cast<double>(from.cut.other);
        return next.outer == from.outer || lines > 0.99 || next.outer == 0;
    };
    EXPECT_TRUE(std::ranges::all_of(all, by_a_line));
    EXPECT_EQ(std::ranges::count(all, from.outer, &Choice::outer), std::ssize(all) - 2);
}

TEST(Level3Moves, edges_of_all_sizes_become_smaller) {
    for (const index_t edge : {512, 768, 1024, 1280, 1536, 2560}) {
        Choice from = choice_of({0});
        from.cut.edge = edge;
        const std::vector<Choice> all = changed(problem(Routine::syrk), from);
        EXPECT_TRUE(std::ranges::any_of(all, [&](const Choice& next) {
            return next.cut.edge < edge && next.cut.edge >= edge / 2;
        })) << edge;
    }
}

TEST(Level3Moves, a_cut_that_was_asked_for_stays) {
    Choice from = choice_of({0});
    from.fixed_tile = true;
    for (const Choice& next : changed(problem(Routine::trmm), from)) EXPECT_EQ(next.cut, from.cut);
}

}  // namespace
}  // namespace gemmill::test
