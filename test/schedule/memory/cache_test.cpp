// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory/cache.hpp"

#include <gtest/gtest.h>

#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

/// Tiles of 256 bytes in a memory that holds three of them, and one sum.
class Caches : public ::testing::Test {
  protected:
    Caches() {
        Problem p;
        p.m = p.n = p.k = 16;
        plan_ = frame_of(p, two_gpus());
        for (index_t i = 0; i < 4; ++i)
            for (index_t j = 0; j < 4; ++j) plan_.tiles.push_back({0, 4 * i, 4 * j, 4, 4});
        builder_.emplace(plan_);
        const Zones some{256, 768, 512, 512}, all{256, 768, 0, 0, Reuse::all};
        caches_.emplace(*builder_, plan_, std::vector<Zones>{{}, some, all}, true);
    }
    CopyId bring(TileId tile, MemoryId memory = 1) {
        const CopyId copy = caches_->take(tile, memory, Zone::inputs);
        if (copy >= 0) caches_->list(copy);
        return copy;
    }
    CopyId find(TileId tile, MemoryId memory = 1) const {
        return caches_->directory().find(tile, memory);
    }

    Plan plan_;
    std::optional<Builder> builder_;
    std::optional<TileCaches> caches_;
};

TEST_F(Caches, the_least_recently_used_without_readers_goes) {
    const CopyId a = bring(0), b = bring(1), c = bring(2);
    caches_->unpin(b, true);
    caches_->unpin(a, true);
    EXPECT_GE(bring(3), 0);
    EXPECT_EQ(find(1), -1) << "b was let go first";
    EXPECT_EQ(find(0), a);
    EXPECT_EQ(find(2), c);
}

TEST_F(Caches, inputs_leave_a_place_for_an_old_target) {
    bring(0), bring(1), bring(2);
    const CopyId old = caches_->take(3, 1, Zone::olds);
    ASSERT_GE(old, 0) << "whatever is read";
    EXPECT_EQ(plan_.buffers.back().bytes, 512) << "all have slots of one size";
    EXPECT_EQ(caches_->take(4, 1, Zone::olds), -1);
    caches_->unpin(old, false);
    EXPECT_GE(caches_->take(4, 1, Zone::olds), 0);
}

TEST_F(Caches, what_is_read_stays) {
    const CopyId a = bring(0);
    bring(1), bring(2);
    EXPECT_EQ(caches_->take(3, 1, Zone::inputs), -1);
    caches_->pin(a);
    caches_->unpin(a, true);
    EXPECT_EQ(caches_->take(3, 1, Zone::inputs), -1) << "it has one reader left";
    caches_->unpin(a, true);
    EXPECT_GE(caches_->take(3, 1, Zone::inputs), 0);
}

TEST_F(Caches, a_use_makes_a_tile_recent_again) {
    const CopyId a = bring(0), b = bring(1), c = bring(2);
    for (const CopyId copy : {a, b, c}) caches_->unpin(copy, true);
    caches_->pin(a);
    caches_->unpin(a, true);
    bring(3);
    EXPECT_EQ(find(0), a);
    EXPECT_EQ(find(1), -1);
}

TEST_F(Caches, what_nobody_needs_goes_at_once) {
    const CopyId a = bring(0);
    caches_->unpin(a, false);
    EXPECT_EQ(find(0), -1);
    EXPECT_EQ(caches_->heap(1, Zone::inputs).free(), 768);
}

TEST_F(Caches, where_all_has_room_the_last_tile_has_it_too) {
    for (const MemoryId memory : {1, 2}) bring(0, memory), bring(1, memory);
    EXPECT_FALSE(caches_->has_room(2, 1)) << "what is free may be in parts";
    EXPECT_TRUE(caches_->has_room(2, 2));
    bring(2, 2);
    EXPECT_FALSE(caches_->has_room(3, 2));
}

TEST_F(Caches, sums_have_a_heap_of_their_own) {
    bring(0), bring(1), bring(2);
    const CopyId sum = caches_->take(5, 1, Zone::sums);
    ASSERT_GE(sum, 0);
    EXPECT_EQ(caches_->take(6, 1, Zone::sums), -1);
    caches_->unpin(sum, true);  // not listed, so it goes
    EXPECT_GE(caches_->take(6, 1, Zone::sums), 0);
}

TEST_F(Caches, states_follow_from_who_has_a_tile) {
    Directory& directory = caches_->directory();
    EXPECT_EQ(directory.state(0), TileState::I);
    bring(0, 1);
    EXPECT_EQ(directory.state(0), TileState::E);
    bring(0, 2);
    EXPECT_EQ(directory.state(0), TileState::S);
    directory.set_made(0, true);
    EXPECT_EQ(directory.state(0), TileState::M);
    directory.set_made(0, false);
    caches_->forget(0);
    EXPECT_EQ(directory.state(0), TileState::I);
}

TEST_F(Caches, a_place_waits_for_who_had_it) {
    const CopyId a = bring(0);
    bring(1), bring(2);
    const auto fetch = [&](CopyId copy) {
        const Copy& c = caches_->at(copy);
        return builder_->move(Opcode::fetch, {c.tile, Ref::home}, {c.tile, c.buffer});
    };
    const StepId first = fetch(a);
    caches_->unpin(a, true);
    const CopyId d = bring(3);
    EXPECT_EQ(caches_->at(d).offset, caches_->at(a).offset);
    Step step;
    step.op = Opcode::fetch;
    step.out = {3, caches_->at(d).buffer};
    step.in[0] = {3, Ref::home};
    step.queue = builder_->transfer_queue(find_link(plan_.machine, 2, 1));  // any other queue
    const StepId second = builder_->emit(step);
    const auto waits = waits_of(plan_, plan_.steps[static_cast<std::size_t>(second)]);
    EXPECT_THAT(waits, ::testing::ElementsAre(first));
}

}  // namespace
}  // namespace gemmill::test
