// SPDX-License-Identifier: Apache-2.0
// Every plan of a wide sweep over routines, flags, machines, placements, caps, tiles and policies
// is valid, stays in its memory, predicts what the simulated machine takes and gives the right
// result.
#include <gtest/gtest.h>

#include <set>

#include "backend/sim/sim.hpp"
#include "exec/run.hpp"
#include "model/engine.hpp"
#include "planner/planner.hpp"
#include "support/level3_case.hpp"
#include "support/machines.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"

namespace gemmill::test {
namespace {

std::string told(const Plan& plan, const Options& options) {
    return fmt::format("{} on {} policy {} tile {} cap {} devices {}\n{}",
                       describe(problem_of(plan)), plan.machine.name, options.policy, options.tile,
                       options.device_memory, options.devices,
                       plan.steps.size() < 60 ? to_text(plan) : "");
}

struct Tally {
    int made = 0, refused = 0;
};

/// Makes one plan and looks at all of it but its result; without steps where it was refused.
Plan check_plan(const Problem& p, const Machine& machine, const Options& options, Tally& tally) {
    Plan plan;
    try {
        plan = make_plan(p, machine, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory) << error.what() << "\n" << describe(p);
        EXPECT_GT(options.device_memory, 0) << error.what() << "\n" << describe(p);
        ++tally.refused;
        return plan;
    }
    ++tally.made;
    const auto faults = validate(plan);
    EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << told(plan, options);
    for (std::size_t m = 0; m < plan.slab.size(); ++m)
        if (plan.machine.memories[m].kind == MemoryKind::device && options.device_memory > 0) {
            EXPECT_LE(plan.slab[m], options.device_memory) << told(plan, options);
        }
    const Timeline timeline = simulate(plan);
    EXPECT_EQ(predict(plan, timeline), plan.prediction) << told(plan, options);
    if (!plan.steps.empty()) {
        EXPECT_LE(plan.prediction.bound_seconds, plan.prediction.seconds * (1 + 1e-9))
            << told(plan, options);
    }
    EXPECT_EQ(parse_plan(to_text(plan)), plan) << told(plan, options);
    return plan;
}

void check_flops(const Plan& plan) {
    const double want = flops_of(problem_of(plan)), got = statistics(plan).flops;
    EXPECT_NEAR(got, want, 1e-9 * want) << describe(problem_of(plan));
}

TEST(Level3Plans, small_ones_on_random_machines_give_the_right_result) {
    Random random(1);
    Tally tally;
    for (int i = 0; i < affordable(12'000) && !HasFailure(); ++i) {
        const Machine machine = random_machine(random);
        const Problem p =
            random_level3(random, random.pick(level3_routines), 24, std::ssize(machine.memories));
        Options options = random_options(random, machine, 24);
        const Plan plan = check_plan(p, machine, options, tally);
        if (plan.machine.memories.empty()) continue;
        check_flops(plan);
        Level3Operands x(p, random);
        SimBackend sim(machine);
        ASSERT_NO_THROW(run(plan, sim, x.binding())) << told(plan, options);
        ASSERT_TRUE(x.check()) << told(plan, options);
    }
    EXPECT_GT(tally.made, 5 * tally.refused);
}

TEST(Level3Plans, large_ones_on_known_machines_are_valid) {
    Random random(2);
    Tally tally;
    const std::vector<Machine> machines = known_machines();
    for (int i = 0; i < affordable(150) && !HasFailure(); ++i) {
        const Machine& machine = random.pick(machines);
        Problem p = random_level3(random, random.pick(level3_routines), 12'000);
        if (!is_hermitian(p.routine)) p.type = Type::d;
        Options options;
        options.tile = random.chance(60) ? 0 : random.between(1000, 3000);
        if (random.chance(40)) options.device_memory = random.between(30, 900) << 20;
        check_plan(p, machine, options, tally);
    }
    EXPECT_GT(tally.made, tally.refused);
}

TEST(Level3Plans, a_stored_tile_is_fetched_once) {
    const Machine machine = load_machine("h200");
    for (const Routine routine : level3_routines) {
        Problem p;
        p.routine = routine;
        p.m = p.n = p.k = 4096;
        p.type = routine == Routine::hemm || routine == Routine::herk || routine == Routine::her2k
                     ? Type::z
                     : Type::d;
        p.alpha = p.beta = Factor::general;
        const Plan plan = make_plan(p, machine, {});
        std::set<TileId> fetched;
        for (const Step& step : plan.steps) {
            if (step.op != Opcode::fetch) continue;
            EXPECT_TRUE(fetched.insert(step.out.tile).second)
                << name_of(plan, plan.tiles[static_cast<std::size_t>(step.out.tile)]) << " twice; "
                << describe(p);
        }
        // Squares at the diagonal come and go whole.
        const Statistics s = statistics(plan);
        EXPECT_LE(static_cast<double>(s.moved.h2d), 1.5 * static_cast<double>(s.bound.h2d));
    }
}

/// One call, unless tiles are much faster.
TEST(Level3Plans, in_core_the_library_does_it_where_it_is_about_as_fast) {
    const Machine machine = load_machine("h200");
    for (const Routine routine : {Routine::syrk, Routine::trmm, Routine::symm}) {
        Problem p;
        p.routine = routine;
        p.m = p.n = p.k = 8192;
        p.alpha = Factor::general;
        p.beta = routine == Routine::trmm ? Factor::zero : Factor::general;
        p.home = {1, 1, 1};
        const Plan plan = make_plan(p, machine, Options{});
        EXPECT_TRUE(validate(plan).empty());
        EXPECT_EQ(plan.steps.size() == 1, routine != Routine::symm) << plan.steps.size();
        p.home = {1, 0, 1};  // where there is no B it has no place
        EXPECT_EQ(make_plan(p, machine, Options{}).steps.size() == 1, routine != Routine::symm);
        p.home = {0, 0, 0};
        EXPECT_GT(make_plan(p, machine, Options{}).steps.size(), 10U);
    }
}

/// Tiles of one line on several devices: each waits for what it needs, and nothing is left out.
TEST(Level3Plans, single_tiles_of_trmm_and_trsm_are_dealt_to_all_devices) {
    const Machine machine = load_machine("everest");
    Random random(9);
    for (const Routine routine : {Routine::trmm, Routine::trsm})
        for (const Side side : {Side::Left, Side::Right})
            for (const Factor alpha : {Factor::general, Factor::zero}) {
                Problem p = random_level3(random, routine, 20);
                p.side = side;
                p.m = 29, p.n = 31, p.k = side == Side::Left ? p.m : p.n;
                p.alpha = alpha;
                Options options;
                options.policy = "blasx";
                options.tile = 4;
                const Plan plan = make_plan(p, machine, options);
                ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << describe(p);
                // The first line of tiles is written by all three.
                std::set<MemoryId> writers;
                for (const Step& step : plan.steps) {
                    if (step.op != Opcode::write) continue;
                    const Tile& t = plan.tiles[static_cast<std::size_t>(step.out.tile)];
                    if ((side == Side::Left ? t.col : t.row) == 0)
                        writers.insert(memory_of(plan, step.in[0]));
                }
                EXPECT_EQ(writers.size(), 3U) << describe(p);
                Level3Operands x(p, random);
                SimBackend sim(machine);
                run(plan, sim, x.binding());
                EXPECT_TRUE(x.check()) << describe(p);
            }
}

TEST(Level3Plans, refuse_what_cannot_be_meant) {
    const Machine machine = load_machine("h200");
    const auto code_of = [&](const Problem& p) {
        try {
            make_plan(p, machine, {});
        } catch (const Error& error) {
            return error.code();
        }
        return Code::ok;
    };
    Problem p;
    p.routine = Routine::syrk;
    p.m = 4, p.n = 5, p.k = 3;
    EXPECT_EQ(code_of(p), Code::bad_argument);
    p.m = 5, p.type = Type::h;
    EXPECT_EQ(code_of(p), Code::bad_argument);
    p.type = Type::d, p.routine = Routine::trsm;
    EXPECT_EQ(code_of(p), Code::bad_argument);
    p.k = 5;
    EXPECT_EQ(code_of(p), Code::ok);
}

}  // namespace
}  // namespace gemmill::test
