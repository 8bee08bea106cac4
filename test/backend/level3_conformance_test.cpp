// SPDX-License-Identifier: Apache-2.0
// Every routine of level 3 on every backend.
#include <algorithm>

#include "backend/conformance.hpp"
#include "exec/run.hpp"
#include "support/level3_case.hpp"
#include "support/plan_case.hpp"
#include "support/triangle_plan.hpp"

namespace gemmill::test {
namespace {

/// Odd sizes; some are large enough for several blocks of a kernel.
Problem odd_problem(Random& random, Routine routine, const Machine& machine) {
    Problem p = random_level3(random, routine, 20, std::ssize(machine.memories));
    const auto odd = [&] { return 2 * random.between(0, random.chance(10) ? 150 : 20) + 1; };
    p.m = odd(), p.n = odd(), p.k = odd();
    if (reads_triangle(routine))
        p.k = p.side == Side::Left ? p.m : p.n;
    else
        p.m = p.n;
    return p;
}

/// Runs a plan twice on operands where the problem says they live.
void run_twice(Backend& backend, const Problem& p, const Options& options, Random& random) {
    Plan plan;
    try {
        plan = make_plan(p, backend.machine(), options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::out_of_memory) << error.what();
        EXPECT_GT(options.device_memory, 0) << error.what();
        return;
    }
    ASSERT_TRUE(validate(plan).empty()) << validate(plan).front() << "\n" << describe(p);
    Homes homes(backend);
    Level3Operands x(p, random, homes.of(p, random));
    run(plan, backend, x.binding());
    ASSERT_TRUE(x.check()) << options.policy << " tile " << options.tile << " cap "
                           << options.device_memory;
    const auto bits = x.c().elements();
    x.reset();
    run(plan, backend, x.binding());
    x.fetch();
    ASSERT_EQ(x.c().elements(), bits) << describe(p);
}

TEST_P(Conformance, every_routine_gives_the_right_result_twice) {
    Random random(20);
    for (int devices = 1; devices <= 4; ++devices) {
        const auto backend = make(devices);
        for (const Routine routine : level3_routines)
            for (int i = 0; i < affordable(24) && !HasFailure(); ++i) {
                Options options;
                if (random.chance(60)) options.tile = random.between(3, 40);
                if (random.chance(30)) options.device_memory = 256 * random.between(8, 400);
                options.policy = random.chance(70) ? "best" : random.pick(policies()).name;
                run_twice(*backend, odd_problem(random, routine, backend->machine()), options,
                          random);
            }
    }
}

/// Sizes of two parts, so that products are as tall as they can be.
TEST_P(Conformance, one_device_holds_everything) {
    Random random(23);
    const auto backend = make(1);
    for (const Routine routine : level3_routines) {
        if (HasFailure()) return;
        Problem p = odd_problem(random, routine, backend->machine());
        if (!is_hermitian(routine)) p.type = Type::d;
        p.alpha = Factor::general;
        p.m = p.n = p.k = 2 * random.between(129, 135) + 1;
        run_twice(*backend, p, {}, random);
    }
}

/// Whether a backend brings kernels of its own, which large sizes are for.
bool has_own_kernels(const BackendMaker& maker) { return maker.name == "cuda"; }

/// A triangle of many blocks, the last cut short; the largest do not fit a scratch as a whole.
TEST_P(Conformance, one_square_at_the_diagonal) {
    if (!has_own_kernels(GetParam())) GTEST_SKIP() << "its kernels are judged elsewhere";
    Random random(24);
    const auto backend = make(1);
    for (const Routine routine : {Routine::gemmt, Routine::syr2k, Routine::her2k})
        for (const index_t n : {65, 513, 1100, 3100})
            for (int i = 0; i < (n > 2000 ? 2 : 8) && !HasFailure(); ++i) {
                Problem p = odd_problem(random, routine, backend->machine());
                p.uplo = i % 2 == 0 ? Uplo::Lower : Uplo::Upper;
                p.m = p.n = n, p.k = random.between(1, 9);
                p.alpha = Factor::general;
                Options options;
                options.tile = n;
                run_twice(*backend, p, options, random);
            }
}

/// A large triangular matrix, with every flag: at once, and in blocks that go into sums.
TEST_P(Conformance, one_large_triangular_matrix) {
    if (!has_own_kernels(GetParam())) GTEST_SKIP() << "its kernels are judged elsewhere";
    Random random(26);
    const auto backend = make(1);
    for (const index_t tile : {2300, 700})
        for (const Side side : {Side::Left, Side::Right})
            for (const Uplo uplo : {Uplo::Lower, Uplo::Upper})
                for (const Op op : {Op::NoTrans, Op::Trans}) {
                    if (HasFailure()) return;
                    Problem p = odd_problem(random, Routine::trmm, backend->machine());
                    p.side = side, p.uplo = uplo, p.op_a = op;
                    p.alpha = Factor::general;
                    p.m = p.n = 3, p.k = 2300;
                    (side == Side::Left ? p.m : p.n) = p.k;
                    Options options;
                    options.tile = tile;
                    run_twice(*backend, p, options, random);
                }
}

/// Systems that one kernel solves, and larger ones, which are cut into such.
TEST_P(Conformance, triangular_systems_of_any_size) {
    if (!has_own_kernels(GetParam())) GTEST_SKIP() << "its kernels are judged elsewhere";
    Random random(27);
    const auto backend = make(1);
    Options options;
    options.tile = 5000;
    for (const index_t edge : {1, 31, 33, 64, 65, 100, 127, 128, 129, 200})
        for (int i = 0; i < 12 && !HasFailure(); ++i) {
            Problem p = odd_problem(random, Routine::trsm, backend->machine());
            p.alpha = Factor::general;
            if (i < 6) p.type = i < 3 ? Type::d : Type::z;
            p.m = p.n = i < 6 ? 4096 + random.between(0, 40) : random.between(1, 150), p.k = edge;
            (p.side == Side::Left ? p.m : p.n) = edge;
            run_twice(*backend, p, options, random);
        }
}

/// More lines than a copy has room for.
TEST_P(Conformance, few_rows_and_many_columns) {
    if (!has_own_kernels(GetParam())) GTEST_SKIP() << "its kernels are judged elsewhere";
    Random random(25);
    const auto backend = make(1);
    for (const Side side : {Side::Left, Side::Right}) {
        Problem p = odd_problem(random, Routine::trmm, backend->machine());
        const index_t lines = 540001, edge = 9;  // 78 MB
        p.type = Type::z, p.side = side;
        p.alpha = Factor::general;
        p.m = side == Side::Left ? edge : lines, p.n = side == Side::Left ? lines : edge;
        p.k = edge;
        Options options;
        options.tile = lines;
        run_twice(*backend, p, options, random);
    }
}

/// Rank updates whose C does not fit, in blocks of its triangle.
TEST_P(Conformance, triangles_of_a_rank_update) {
    Random random(24);
    for (const int devices : {1, 3}) {
        const auto backend = make(devices);
        for (const Routine routine : {Routine::syrk, Routine::herk, Routine::syr2k, Routine::her2k})
            for (const index_t groups : {3, 7, 13}) {
                if (HasFailure()) return;
                Problem p = odd_problem(random, routine, backend->machine());
                p.m = p.n = 2 * random.between(40, 60) + 1;
                p.alpha = Factor::general;
                p.home = {0, 0, 0};
                const Plan plan = triangle_plan(p, backend->machine(), groups);
                ASSERT_TRUE(validate(plan).empty()) << describe(p);
                Level3Operands x(p, random);
                run(plan, *backend, x.binding());
                ASSERT_TRUE(x.check()) << groups;
            }
    }
}

/// With little memory solved blocks are written, and later read again from where they live: in
/// ordinary host memory, which a GPU's copies reach by way of others.
TEST_P(Conformance, solved_blocks_are_read_after_they_are_written) {
    Random random(21);
    const auto backend = make(2);
    for (int i = 0; i < affordable(20) && !HasFailure(); ++i) {
        Problem p = random_level3(random, Routine::trsm, 20);
        p.m = p.n = p.k = 2 * random.between(30, 70) + 1;
        p.alpha = Factor::general;
        p.home = {0, 0, 0};
        Options options;
        options.tile = 16;
        options.device_memory = bytes_of(p.type) * 16 * 16 * 5;
        options.devices = "0,1";  // those with memory of their own
        const Plan plan = make_plan(p, backend->machine(), options);
        const auto again = std::ranges::count_if(plan.steps, [&](const Step& s) {
            return s.op == Opcode::fetch && s.in[0].buffer == Ref::home &&
                   plan.tiles[static_cast<std::size_t>(s.out.tile)].operand == operand::C;
        });
        const auto writes = std::ranges::count(plan.steps, Opcode::write, &Step::op);
        ASSERT_GT(again, writes) << "nothing is read again";
        Level3Operands x(p, random);
        run(plan, *backend, x.binding());
        ASSERT_TRUE(x.check()) << options.device_memory;
    }
}

}  // namespace
}  // namespace gemmill::test
