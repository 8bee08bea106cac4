// SPDX-License-Identifier: Apache-2.0
#include "rank/program/walk/shared.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "rank/program/walk/run.hpp"
#include "support/rank_product.hpp"
#include "support/thread_ranks.hpp"

namespace gemmill::test {
namespace {

DistChoice shared_choice(const Product& x, index_t depth) {
    DistPolicy policy = named("c");
    policy.depth = depth, policy.shared = true;
    return x.choose(policy);
}

TEST(SharedPanels, every_element_of_a_panel_is_put_there_once) {
    const Product x(70, 90, 100, 2, 3);
    const DistChoice choice = shared_choice(x, 30);
    // By stage, operand and group.
    std::map<std::array<int, 3>, index_t> put, needed;
    for (int rank = 0; rank < x.ranks; ++rank) {
        const RankProgram program = x.program(choice, rank);
        for (int s = 0; s < static_cast<int>(program.stages.size()); ++s) {
            const Stage& stage = program.stages[static_cast<std::size_t>(s)];
            for (const Placement& one : stage.placements)
                put[{s, one.operand, one.group}] += one.box.elements();
            for (int operand = 0; operand < 2; ++operand) {
                const Panel& panel = stage.panels[static_cast<std::size_t>(operand)];
                ASSERT_GE(panel.group, 0);
                if (owner_of(program, operand, panel.group) == rank)
                    needed[{s, operand, panel.group}] += panel.rows * panel.cols;
            }
        }
    }
    EXPECT_EQ(put, needed);
    EXPECT_EQ(put.size(), 4U * (2 + 3));
}

TEST(SharedPanels, one_rank_of_a_group_has_the_memory) {
    const Product x(64, 64, 64, 1, 4);
    const DistChoice choice = shared_choice(x, 64);
    EXPECT_GE(x.program(choice, 0).arena_bytes, 8 * 64 * 64);
    for (int rank = 1; rank < 4; ++rank) EXPECT_EQ(x.program(choice, rank).arena_bytes, 0);
}

/// A rank that gets ahead does not write where another still reads.
TEST(SharedPanels, a_place_is_used_again_when_all_have_read_it) {
    const Product x(64, 64, 64, 1, 2);
    const DistChoice choice = shared_choice(x, 16);
    std::atomic<bool> is_read = false;
    run_ranks(2, [&](ThreadTransport& transport) {
        const RankProgram program = x.program(choice, transport.rank());
        ASSERT_EQ(program.stages.size(), 4U);
        ASSERT_EQ(program.places, 2);
        const Arena arena = transport.node()->take(program.arena_bytes);
        const WaitUntil wait = [&](const auto& holds, const auto&) {
            while (!holds()) transport.pause();
        };
        SharedPanels panels(transport, program, wait);
        panels.open();
        panels.tell_placed(0);
        panels.await_sources(0);
        if (transport.rank() == 0) {
            panels.tell_done(0);
            panels.await_readers(1);  // its place was never used
            panels.await_readers(2);
            EXPECT_TRUE(is_read);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            is_read = true;
            panels.tell_done(0);
        }
        panels.close();
    });
}

}  // namespace
}  // namespace gemmill::test
