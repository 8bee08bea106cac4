// SPDX-License-Identifier: Apache-2.0
#include "schedule/room.hpp"

#include <gtest/gtest.h>

#include "gemmill/error.hpp"
#include "plan/build/builder.hpp"
#include "support/schedule_case.hpp"

namespace gemmill::test {
namespace {

constexpr std::int64_t tile_bytes = 512;  // of 8 x 8 numbers of type d

/// 4 x 4 targets of 4 terms on one device.
class Room : public ::testing::Test {
  protected:
    Room() {
        p_.m = p_.n = p_.k = 32;
        p_.beta = Factor::general;
    }
    Zones zones(std::int64_t limit, const ScheduleOptions& options = {}) const {
        Plan plan = frame_of(p_, synthetic_machine("gpu:1(mem=1GB,d=1T)"));
        const Tasks tasks = tasks_of(p_, {8, 8, 8});
        plan.tiles = tasks.tiles;
        plan.limit[1] = limit;
        return zones_of(plan, tasks, options).at(1);
    }

    Problem p_;
};

TEST_F(Room, all_inputs_stay_where_they_can) {
    const Zones z = zones(1 << 20);
    EXPECT_EQ(z.sums, 16 * tile_bytes) << "a device that is alone may begin them all";
    EXPECT_EQ(z.inputs, 32 * tile_bytes);
    EXPECT_EQ(z.olds, ScheduleOptions{}.active * tile_bytes) << "one for each task that has begun";
    EXPECT_EQ(z.old, tile_bytes);
}

TEST_F(Room, short_memory_is_shared) {
    for (std::int64_t tiles = 4; tiles < 40; ++tiles) {
        const Zones z = zones(tiles * tile_bytes);
        EXPECT_GE(z.sums, tile_bytes);
        EXPECT_GE(z.inputs, 3 * tile_bytes);
        EXPECT_LE(z.sums + z.inputs + z.olds, tiles * tile_bytes);
    }
}

TEST_F(Room, a_few_old_targets_find_room_beside_more_sums) {
    ScheduleOptions many;
    many.active = 8;
    const Zones short_of_all = zones(36 * tile_bytes, many);
    EXPECT_EQ(short_of_all.olds, 2 * tile_bytes);
    EXPECT_EQ(short_of_all.sums, 10 * tile_bytes);
    EXPECT_EQ(short_of_all.inputs, 24 * tile_bytes);
    const Zones little = zones(12 * tile_bytes, many);
    EXPECT_EQ(little.olds, 0) << "sums need the third that there is";
    EXPECT_EQ(little.sums, 4 * tile_bytes);
}

TEST_F(Room, short_memory_tells_how_to_go_through_targets) {
    EXPECT_EQ(zones(1 << 20).reuse, Reuse::all);
    EXPECT_EQ(zones(32 * tile_bytes).reuse, Reuse::columns) << "16 of A and 8 of B stay";
    p_.n = 64;
    EXPECT_EQ(zones(32 * tile_bytes).reuse, Reuse::columns);
    p_.n = 32, p_.k = 320;
    const Zones blocks = zones(32 * tile_bytes);
    EXPECT_EQ(blocks.reuse, Reuse::blocks);
    EXPECT_GE(blocks.together, 6) << "more than a third";
    EXPECT_EQ(blocks.sums, blocks.together * tile_bytes);
    p_.k = 32, p_.routine = Routine::trsm;
    EXPECT_EQ(zones(22 * tile_bytes).reuse, Reuse::chains);
}

TEST_F(Room, zones_begin_where_slots_may) {
    ScheduleOptions many;
    many.active = 8;
    for (std::int64_t limit = 4 * tile_bytes; limit < 40 * tile_bytes; limit += 37) {
        const Zones z = zones(limit, many);
        EXPECT_EQ(z.sums % slot_alignment, 0) << limit;
        EXPECT_EQ(z.inputs % slot_alignment, 0) << limit;
        EXPECT_LE(z.sums + z.inputs + z.olds, limit);
    }
}

TEST_F(Room, less_than_a_term_needs_is_refused) { EXPECT_THROW(zones(4 * tile_bytes - 1), Error); }

TEST_F(Room, what_is_at_home_needs_none) {
    p_.home = {1, 1, 1};
    EXPECT_EQ(zones(1 << 20).inputs, 0);
    EXPECT_EQ(zones(1 << 20).olds, 0);
    p_.k = 8;  // one term, made where the target lives
    EXPECT_EQ(zones(0).sums, 0);
}

TEST_F(Room, new_tiles_that_others_read_stay) {
    p_.routine = Routine::trsm;
    EXPECT_EQ(zones(1 << 20).sums, 16 * tile_bytes);
}

TEST(Relay, host_memory_has_room_only_where_something_passes) {
    Problem p;
    p.m = p.n = p.k = 8;
    p.home = {1, 0, 0};
    const Tasks tasks = tasks_of(p, {8, 8, 8});
    for (const char* line : {"gpu:2(mem=1GB,d=1T)", "gpu:2(mem=1GB,d=1T) nvlink:50GB/s"}) {
        Plan plan = frame_of(p, synthetic_machine(line));
        plan.tiles = tasks.tiles;
        plan.devices = {1};
        const bool joined = find_link(plan.machine, 1, 2) >= 0;
        EXPECT_EQ(zones_of(plan, tasks, {}).at(0).inputs > 0, !joined) << line;
    }
}

}  // namespace
}  // namespace gemmill::test
