// SPDX-License-Identifier: Apache-2.0
// Triangles of C: every tile is in one block, plans are valid and right, and fewer bytes move than
// with square blocks.
#include "planner/split/targets/triangles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "planner/planner.hpp"
#include "planner/shape/tiles/level3.hpp"
#include "support/any_order.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

constexpr std::array updates{Routine::syrk, Routine::herk, Routine::syr2k, Routine::her2k};

TEST(Triangles, any_two_groups_meet_in_one_block_and_blocks_are_alike) {
    for (const index_t groups : triangle_groups()) {
        const Triangles triangles{groups, groups};
        std::map<index_t, std::set<index_t>> rows;
        std::map<index_t, index_t> tiles;
        for (index_t i = 0; i < groups; ++i)
            for (index_t j = 0; j <= i; ++j) {
                const index_t block = triangles.block_of(i, j);
                EXPECT_EQ(block, triangles.block_of(j, i));
                rows[block].insert({i, j});
                ++tiles[block];
            }
        // Of a block with r rows all r (r - 1) / 2 tiles between them, and one at the diagonal.
        const auto meet = static_cast<index_t>(rows.begin()->second.size());
        EXPECT_EQ(meet * (meet - 1) + 1, groups);
        ASSERT_EQ(std::ssize(rows), groups);
        for (const auto& [block, set] : rows) {
            EXPECT_EQ(std::ssize(set), meet) << groups;
            EXPECT_EQ(tiles[block], meet * (meet - 1) / 2 + 1) << groups;
        }
    }
}

TEST(Triangles, groups_differ_by_one_row_of_tiles_at_most) {
    for (const index_t groups : triangle_groups())
        for (const index_t rows : {groups - 1, groups + 1, 3 * groups - 2}) {
            const Triangles triangles{groups, rows};
            std::map<index_t, index_t> size;  // the diagonal of a group is in the block of its name
            for (index_t i = 0; i < rows; ++i) ++size[triangles.block_of(i, i)];
            for (const auto& [group, count] : size)
                EXPECT_LE(count, (rows + groups - 1) / groups) << groups << " " << rows;
        }
}

Draft frame_of(const Machine& machine, const Problem& p, std::int64_t cap) {
    Draft plan;
    plan.machine = machine;
    plan.problem = p;
    describe(p, plan);
    plan.policy = "best";
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
        plan.devices.push_back(static_cast<DeviceId>(d));
    for (const Memory& memory : machine.memories)
        plan.limit.push_back(memory.kind == MemoryKind::device ? cap : memory.capacity);
    return plan;
}

Policy best() { return resolve_policy(Options{}); }

Plan made(const Machine& machine, const Problem& p, std::int64_t cap, const Cut& cut,
          index_t groups) {
    Draft plan = frame_of(machine, p, cap);
    Choice choice;
    choice.devices = plan.devices;
    choice.cut = cut;
    choice.fixed_tile = true;
    choice.groups = groups;
    choice.late = false;
    plan_level3(plan, best(), choice);
    return plan;
}

TEST(Triangles, small_ones_are_right_in_any_order) {
    Random random(1);
    int kept = 0;
    const std::span<const index_t> groups = triangle_groups();
    for (int i = 0; i < affordable(3000) && !HasFailure(); ++i) {
        const Machine machine = random_machine(random);
        const Problem p =
            random_level3(random, random.pick(updates), 24, std::ssize(machine.memories));
        const std::int64_t cap = 256 * random.between(8, 120);
        const Cut cut{random.between(1, 6), random.between(1, 9), random.chance(50)};
        Plan plan;
        try {
            plan = made(machine, p, cap, cut, random.pick(groups));
        } catch (const Error& error) {
            ASSERT_EQ(error.code(), Code::out_of_memory) << error.what();
            continue;
        }
        ++kept;
        const auto faults = validate(plan);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\n" << describe(p);
        const double want = flops_of(p);
        EXPECT_NEAR(statistics(plan).flops, want, 1e-9 * want) << describe(p);
        Level3Operands x(p, random);
        ASSERT_TRUE(right_in_any_order(plan, x, random)) << describe(p) << "\n" << to_text(plan);
    }
    EXPECT_GT(kept, affordable(3000) / 2);
}

/// Bytes of A and B that come to the device.
std::int64_t inputs_moved(const Plan& plan) {
    std::int64_t bytes = 0;
    for (const Step& step : plan.steps) {
        const Tile& t = plan.tiles[static_cast<std::size_t>(std::max(0, step.out.tile))];
        if (step.op == Opcode::fetch && t.operand != operand::C)
            bytes += t.rows * t.cols * bytes_of(operand_of(plan, t).type);
    }
    return bytes;
}

/// The fewest with squares of any tiles that fit.
std::int64_t fewest_with_squares(const Machine& machine, const Problem& p, std::int64_t cap) {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (index_t edge = 16; edge <= p.n; edge += 16)
        for (const index_t part : {4, 16, 64}) try {
                const Plan plan = made(machine, p, cap, {edge, part}, 0);
                fewest = std::min(fewest, inputs_moved(plan));
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
            }
    return fewest;
}

/// With room for M elements square blocks need n n k / sqrt(M) of A, and no plan can do with fewer
/// than n n k / sqrt(2 M).
TEST(Triangles, move_fewer_bytes_than_squares_of_any_size) {
    const Machine machine = synthetic_machine("gpu:1(mem=1GB,d=1T,z=1T) pcie:10GB/s");
    constexpr index_t edge = 32, part = 4;
    for (const Routine routine : {Routine::syrk, Routine::syr2k})
        for (const index_t groups : {7, 13, 21}) {
            Problem p;
            p.routine = routine;
            p.m = p.n = edge * groups, p.k = 128;
            p.alpha = p.beta = Factor::general;
            const double two = routine == Routine::syr2k ? 2 : 1;
            // A block of C, and two parts of k of the rows that meet there.
            const auto meet = static_cast<index_t>(std::ceil(std::sqrt(groups)));
            const std::int64_t cap = 8 * edge * edge * (meet * (meet - 1) / 2 + 1) +
                                     static_cast<index_t>(two) * 2 * 8 * meet * edge * part;
            const Plan plan = made(machine, p, cap, {edge, part}, groups);
            EXPECT_TRUE(validate(plan).empty());
            EXPECT_LE(plan.slab[1], cap);
            const auto moved = static_cast<double>(inputs_moved(plan));
            const auto squares = static_cast<double>(fewest_with_squares(machine, p, cap));
            const double all = two * 8 * static_cast<double>(p.n * p.k);
            EXPECT_LE(moved, static_cast<double>(meet) * all) << groups;
            EXPECT_GE(moved,
                      all * static_cast<double>(p.n) / std::sqrt(static_cast<double>(cap) / 4))
                << groups;
            EXPECT_GE(squares, 1.2 * moved) << groups << " " << squares / all << " " << moved / all;
        }
}

TEST(Triangles, best_takes_them_where_bytes_decide) {
    Problem p;
    p.routine = Routine::syrk;
    p.m = p.n = p.k = 16384;
    p.alpha = p.beta = Factor::general;
    Options options;
    options.device_memory = std::int64_t{1} << 29;
    std::vector<Tried> tried;
    const Machine machine = load_machine("h200");
    const Plan plan = make_plan(p, machine, options, &tried);
    EXPECT_TRUE(validate(plan).empty());
    const auto chosen = std::ranges::find(tried, plan.prediction.seconds, &Tried::seconds);
    ASSERT_NE(chosen, tried.end());
    EXPECT_FALSE(chosen->what.ends_with("groups 0")) << chosen->what;
    EXPECT_TRUE(std::ranges::any_of(
        tried, [](const Tried& one) { return one.what.ends_with("groups 0"); }));
    // A general product has other columns than rows, and needs both.
    p.routine = Routine::gemmt;
    tried.clear();
    make_plan(p, machine, options, &tried);
    for (const Tried& one : tried) EXPECT_TRUE(one.what.ends_with("groups 0")) << one.what;
}

}  // namespace
}  // namespace gemmill::test
