// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/rank_product.hpp"

namespace gemmill::test {
namespace {

RankProgram program_of(const Product& x, int lookahead, int behind) {
    DistPolicy policy = named("c");
    policy.depth = 32, policy.lookahead = lookahead;
    DistChoice choice = x.choose(policy);
    choice.cut.behind = behind;
    return x.program(choice, 0);
}

/// Where a stage begins to use memory and where it no longer does, as places in the steps.
struct Stay {
    int first = -1, drained = -1;
};
std::vector<Stay> stays_of(const RankProgram& program) {
    std::vector<Stay> stays(program.stages.size());
    for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
        const RankStep& step = program.steps[static_cast<std::size_t>(i)];
        const bool is_fetch = step.op == RankOp::receive || step.op == RankOp::send;
        if (is_fetch || step.op == RankOp::keep) {
            const int stage =
                is_fetch ? program.fetches[static_cast<std::size_t>(step.index)].stage : step.index;
            Stay& stay = stays[static_cast<std::size_t>(stage)];
            if (stay.first < 0) stay.first = i;
        }
        if (step.op == RankOp::drain) stays[static_cast<std::size_t>(step.index)].drained = i;
    }
    return stays;
}

/// A piece of the arena that belongs to a stage.
struct Piece {
    int stage;
    std::int64_t first, last;
};
std::vector<Piece> pieces_of(const RankProgram& program) {
    std::vector<Piece> pieces;
    for (int s = 0; s < static_cast<int>(program.stages.size()); ++s)
        for (const Panel& panel : program.stages[static_cast<std::size_t>(s)].panels)
            if (!panel.at_home && panel.rows > 0)
                pieces.push_back({s, panel.offset, panel.offset + 8 * panel.ld * panel.cols});
    for (const Fetch& fetch : program.fetches)
        pieces.push_back({fetch.stage, fetch.offset, fetch.offset + fetch.bytes});
    return pieces;
}

TEST(LayOut, memory_is_used_again_only_when_its_stage_is_drained) {
    const Product x(160, 96, 512, 2, 3);
    for (const int lookahead : {0, 1, 3})
        for (const int behind : {0, 1}) {
            const RankProgram program = program_of(x, lookahead, behind);
            const std::vector<Stay> stays = stays_of(program);
            for (const Piece& a : pieces_of(program)) {
                EXPECT_GE(a.first, program.sums_bytes);
                EXPECT_LE(a.last, program.arena_bytes);
                for (const Piece& b : pieces_of(program)) {
                    if (a.stage >= b.stage || a.last <= b.first || b.last <= a.first) continue;
                    EXPECT_LT(stays[static_cast<std::size_t>(a.stage)].drained,
                              stays[static_cast<std::size_t>(b.stage)].first);
                }
            }
        }
}

TEST(LayOut, a_stage_behind_may_still_compute_while_the_next_is_put_into_place) {
    const Product x(160, 96, 512, 2, 3);
    const auto drain_behind = [&](int behind) {
        const RankProgram program = program_of(x, 1, behind);
        int products = 0;
        for (const RankStep& step : program.steps) {
            products += step.op == RankOp::product;
            if (step.op == RankOp::drain) return products - 1 - step.index;
        }
        return -1;
    };
    // Without it the first stage is waited for as soon as its product begins.
    EXPECT_EQ(drain_behind(0), 0);
    EXPECT_EQ(drain_behind(1), 1);
}

TEST(LayOut, every_stage_is_made_once_and_drained_once) {
    const Product x(160, 96, 512, 2, 3);
    for (const int lookahead : {0, 2, 40}) {
        const RankProgram program = program_of(x, lookahead, 1);
        std::vector<int> made(program.stages.size()), drained(program.stages.size());
        for (const RankStep& step : program.steps) {
            if (step.op == RankOp::product) ++made[static_cast<std::size_t>(step.index)];
            if (step.op == RankOp::drain) ++drained[static_cast<std::size_t>(step.index)];
        }
        EXPECT_EQ(made, std::vector<int>(program.stages.size(), 1));
        EXPECT_EQ(drained, std::vector<int>(program.stages.size(), 1));
    }
}

}  // namespace
}  // namespace gemmill::test
