// SPDX-License-Identifier: Apache-2.0
// Waits follow from uses: of any parts of a place, in any order, by any queues.
#include "plan/build/builder.hpp"

#include <gtest/gtest.h>

#include "support/frame.hpp"
#include "support/machines.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

constexpr index_t edge = 12;

/// Blocks of A that lie apart, or whole columns, or anything.
Tile any_block(Random& random, int kind) {
    if (kind == 0) return {operand::A, 3 * random.below(4), 3 * random.below(4), 3, 3};
    const index_t row = kind == 1 ? 0 : random.below(edge), col = random.below(edge);
    return {operand::A, row, col, kind == 1 ? edge : 1 + random.below(edge - row),
            1 + random.below(edge - col)};
}

/// Steps that have elements of a place in common, one of which writes them, never run together.
/// What they add up to does not matter here.
void check_waits(const Plan& plan) {
    bool sums = false;
    for (const std::string& fault : validate(plan)) {
        ASSERT_EQ(fault.find("race"), std::string::npos) << fault << "\n" << to_text(plan);
        sums = sums || fault.find("is written 0 times") != std::string::npos ||
               fault.find("fetches") != std::string::npos;
    }
    EXPECT_TRUE(sums) << "validate did not come so far: " << validate(plan).front();
}

TEST(Builder, waits_keep_uses_of_the_same_elements_in_order) {
    const Machine machine = synthetic_machine("gpu:6(mem=1GB,d=1T) nvswitch:50GB/s pcie:10GB/s");
    Random random(5);
    for (int i = 0; i < affordable(3000) && !HasFailure(); ++i) {
        Draft plan = frame_of(machine, problem_of(edge, edge, {0, 0, 0}));
        Builder builder(plan);
        std::vector<BufferId> places;
        for (MemoryId memory = 1; memory <= 6; ++memory)
            places.push_back(builder.keep(memory, builder.tile({operand::A, 0, 0, edge, edge})));
        const int kind = static_cast<int>(random.below(3));
        const index_t steps = random.between(5, random.chance(90) ? 20 : 60);
        for (index_t s = 0; s < steps; ++s) {
            const TileId block = builder.tile(any_block(random, kind));
            const BufferId to =
                places[random.chance(60) ? 0 : static_cast<std::size_t>(random.below(6))];
            BufferId from = random.chance(20) ? Ref::home : random.pick(places);
            if (from == to) from = Ref::home;
            builder.move(Opcode::fetch, {block, from}, {block, to});
        }
        check_waits(plan);
    }
}

/// What is read again and again by many is still waited for.
TEST(Builder, a_write_waits_for_all_reads_however_many) {
    const Machine machine = synthetic_machine("gpu:2(mem=1GB,d=1T) nvlink:50GB/s pcie:10GB/s");
    Draft plan = frame_of(machine, problem_of(40, 40, {0, 0, 0}));
    Builder builder(plan);
    const TileId whole = builder.tile({operand::A, 0, 0, 40, 40});
    const BufferId from = builder.keep(1, whole), to = builder.keep(2, whole);
    builder.move(Opcode::fetch, {whole, Ref::home}, {whole, from});
    for (index_t col = 0; col < 40; ++col) {
        const TileId block = builder.tile({operand::A, 0, col, 40, 1});
        builder.move(Opcode::fetch, {block, from}, {block, to});
    }
    builder.move(Opcode::fetch, {whole, Ref::home}, {whole, from});
    check_waits(plan);
}

}  // namespace
}  // namespace gemmill::test
