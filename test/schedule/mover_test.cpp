// SPDX-License-Identifier: Apache-2.0
#include "schedule/mover.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

class Silent final : public Session {
  public:
    void submit(StepId) override {}
    std::optional<Completion> next() override { return std::nullopt; }
};

/// 4 x 4 tiles of A and of C, and room for ten tiles in each device's memory.
class MoverTest : public ::testing::Test {
  protected:
    void start(const char* line, const ScheduleOptions& options = {}, MemoryId home = 0) {
        Problem p;
        p.m = p.n = p.k = 16;
        p.home = {home, home, home};
        plan_ = frame_of(p, synthetic_machine(line));
        for (Link& link : plan_.machine.links) link.latency = 0;  // tiny tiles are all latency
        plan_.machine.issue = 0;
        for (const OperandId operand : {0, 2})
            for (index_t i = 0; i < 4; ++i)
                for (index_t j = 0; j < 4; ++j)
                    plan_.tiles.push_back({operand, 4 * i, 4 * j, 4, 4});
        options_ = options;
        builder_.emplace(plan_);
        std::vector<Zones> zones(plan_.machine.memories.size(), {256, 2560, false});
        caches_.emplace(*builder_, plan_, zones, true);
        issuer_.emplace(plan_, *builder_);
        issuer_->drive(session_, 0);
        mover_.emplace(*issuer_, *caches_, options_, Traffic(plan_.machine));
    }
    /// Memories that the last step joins.
    std::pair<MemoryId, MemoryId> last_move() const {
        const Step& step = plan_.steps.back();
        return {memory_of(plan_, step.in[0]), memory_of(plan_, step.out)};
    }
    void all_arrive() {
        for (const Buffer& buffer : plan_.buffers)
            if (const CopyId c = caches_->directory().find(buffer.tile, buffer.memory); c >= 0)
                caches_->at(c).arrived = true;
    }

    using Way = std::pair<MemoryId, MemoryId>;
    Plan plan_;
    ScheduleOptions options_;
    Silent session_;
    std::optional<Builder> builder_;
    std::optional<TileCaches> caches_;
    std::optional<Issuer> issuer_;
    std::optional<Mover> mover_;
};

constexpr const char* joined = "gpu:2(mem=1GB,d=1T) nvlink:50GB/s pcie:10GB/s";
constexpr const char* apart = "gpu:2(mem=1GB,d=1T) pcie:10GB/s";

TEST_F(MoverTest, a_hit_moves_nothing) {
    start(joined);
    const auto first = mover_->bring(0, 1), again = mover_->bring(0, 1);
    ASSERT_TRUE(first && again);
    EXPECT_EQ(plan_.steps.size(), 1u);
    EXPECT_EQ(first->copy, again->copy);
    EXPECT_EQ(caches_->at(first->copy).readers, 3) << "two terms, and the fetch";
}

TEST_F(MoverTest, a_neighbour_is_asked_before_the_host) {
    start(joined);
    mover_->bring(0, 1);
    EXPECT_EQ(last_move(), Way(0, 1));
    all_arrive();
    mover_->bring(0, 2);
    EXPECT_EQ(last_move(), Way(1, 2));
}

TEST_F(MoverTest, without_l2_everything_comes_from_home) {
    ScheduleOptions options;
    options.l2 = false;
    start(joined, options);
    mover_->bring(0, 1);
    all_arrive();
    mover_->bring(0, 2);
    EXPECT_EQ(last_move(), Way(0, 2));
}

TEST_F(MoverTest, a_copy_on_its_way_serves_too) {
    for (const bool in_flight : {true, false}) {
        ScheduleOptions options;
        options.in_flight = in_flight;
        start(joined, options);
        mover_->bring(0, 1);
        mover_->bring(0, 2);
        EXPECT_EQ(last_move(), in_flight ? Way(1, 2) : Way(0, 2));
        EXPECT_EQ(plan_.steps.back().wait_count, in_flight ? 1 : 0);
    }
}

TEST_F(MoverTest, reads_are_spread_over_idle_links) {
    for (const bool spread : {true, false}) {
        ScheduleOptions options;
        options.spread_reads = spread;
        start(joined, options);
        for (TileId tile = 0; tile < 4; ++tile) mover_->bring(tile, 1);
        int from_host_to_2 = 0;
        for (const Step& step : plan_.steps)
            from_host_to_2 += step.in[0].buffer == Ref::home && memory_of(plan_, step.out) == 2;
        EXPECT_EQ(from_host_to_2 > 0, spread);
    }
}

TEST_F(MoverTest, what_both_will_read_comes_in_pieces_over_both_links) {
    ScheduleOptions options;
    options.piece = 64;
    start(joined, options);
    for (const MemoryId m : {1, 2}) mover_->want(0, m);
    const auto brought = mover_->bring(0, 1);
    ASSERT_TRUE(brought);
    ASSERT_EQ(plan_.steps.size(), 4u) << "a piece to each, and one from each to the other";
    std::vector<Way> ways;
    for (const Step& step : plan_.steps) {
        EXPECT_EQ(step.pieces, 2);
        ways.emplace_back(memory_of(plan_, step.in[0]), memory_of(plan_, step.out));
    }
    EXPECT_THAT(ways, ::testing::ElementsAre(Way(0, 1), Way(0, 2), Way(1, 2), Way(2, 1)));
    EXPECT_EQ(mover_->arriving(1), 1) << "one tile, whatever its pieces";
    mover_->note_arrival(brought->copy);
    EXPECT_FALSE(caches_->at(brought->copy).arrived);
    mover_->note_arrival(brought->copy);
    EXPECT_TRUE(caches_->at(brought->copy).arrived);
    EXPECT_EQ(mover_->arriving(1), 0);
    ASSERT_TRUE(mover_->bring(0, 2));
    EXPECT_EQ(plan_.steps.size(), 4u) << "it is on its way there as well";
}

TEST_F(MoverTest, pieces_stay_off_a_slow_link_while_it_has_more_to_do_than_the_other) {
    ScheduleOptions options;
    options.piece = 64;
    start(joined, options);
    Traffic& traffic = mover_->traffic();
    const LinkId slow = traffic.link(0, 2);
    for (int i = 0; i < 20; ++i) traffic.note(slow, 1000, 1);
    traffic.begin(slow, 64);
    for (const MemoryId m : {1, 2}) mover_->want(0, m);
    ASSERT_TRUE(mover_->bring(0, 1));
    std::vector<Way> ways;
    for (const Step& step : plan_.steps)
        ways.emplace_back(memory_of(plan_, step.in[0]), memory_of(plan_, step.out));
    EXPECT_THAT(ways, ::testing::ElementsAre(Way(0, 1), Way(0, 1), Way(1, 2), Way(1, 2)));
}

TEST_F(MoverTest, tiles_come_whole_where_one_reads_them_or_pieces_were_too_small) {
    for (const auto& [wanted, piece] : {std::pair(1, 64), {2, 65}, {2, 0}}) {
        ScheduleOptions options;
        options.piece = piece;
        start(joined, options);
        mover_->want(0, 1);
        mover_->want(0, static_cast<MemoryId>(wanted));
        ASSERT_TRUE(mover_->bring(0, 1));
        EXPECT_EQ(plan_.steps.size(), 1u) << wanted << " " << piece;
    }
}

TEST_F(MoverTest, where_there_is_no_link_tiles_pass_through_the_host) {
    start(apart, {}, 1);
    ASSERT_TRUE(mover_->bring(0, 2));
    ASSERT_EQ(plan_.steps.size(), 2u);
    EXPECT_EQ(last_move(), Way(0, 2));
    EXPECT_EQ(plan_.steps.back().wait_count, 1);
}

TEST_F(MoverTest, a_sum_goes_home_and_the_task_ends_with_it) {
    start(joined);
    const CopyId sum = caches_->take(16, 1, Zone::sums);
    ASSERT_TRUE(mover_->write(sum, 7));
    EXPECT_EQ(plan_.steps.back().op, Opcode::write);
    EXPECT_EQ(last_move(), Way(1, 0));
    EXPECT_EQ(issuer_->end(0).task, 7);
}

TEST_F(MoverTest, no_room_says_so) {
    start(joined, {});
    for (TileId tile = 0; tile < 10; ++tile) ASSERT_TRUE(mover_->bring(tile, 1));
    EXPECT_FALSE(mover_->bring(10, 1));
    EXPECT_THAT(mover_->reason(), ::testing::HasSubstr("gpu0 has no room for A["));
}

TEST(Pieces, are_no_more_than_pay) {
    // 100 MB over 10 GB/s take 10 ms; a step costs 10 us.
    EXPECT_EQ(pieces_for(1e8, 1e10, 1e-5, 8, 1e6), 8) << "one a reader";
    EXPECT_EQ(pieces_for(1e7, 1e10, 1e-5, 8, 1e6), 3)
        << "8 steps for each piece: 1 ms / (9 x 80 us)";
    EXPECT_EQ(pieces_for(4e6, 1e10, 0, 8, 1e6), 4) << "of a megabyte at least";
    EXPECT_EQ(pieces_for(1e5, 1e10, 1e-5, 8, 1e6), 1);
    EXPECT_EQ(pieces_for(1e8, 1e10, 1e-5, 8, 0), 1) << "switched off";
}

}  // namespace
}  // namespace gemmill::test
