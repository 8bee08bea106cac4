// SPDX-License-Identifier: Apache-2.0
// One of two GPUs is lost in the middle of a run: the other one goes on.
#include <algorithm>

#include "backend/gpu/gpu.hpp"
#include "batch/check.hpp"
#include "exec/outcome.hpp"
#include "exec/run.hpp"
#include "plan/access.hpp"
#include "support/batch_case.hpp"
#include "support/fake_gpu.hpp"
#include "support/plan_case.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

using Call = FakeGpus::Call;
constexpr int breaks = 1;  // the GPU, and its device

std::unique_ptr<GpuBackend> make_fake() {
    FakeGpus::instance().reset();
    GpuSetup setup;
    setup.driver = &fake_gpu_driver();
    setup.machine = synthetic_machine("gpu:2(mem=1GB,d=1T) pcie:10GB/s");
    setup.ordinals = {-1, 0, 1};
    setup.staging = {2, 3, 256};
    return std::make_unique<GpuBackend>(std::move(setup));
}

Plan plan_on(const Backend& backend, const char* devices) {
    Problem p;
    p.m = p.n = p.k = 48;
    p.alpha = p.beta = Factor::general;
    Options options;
    options.tile = 16, options.policy = "blasx", options.devices = devices;
    return make_plan(p, backend.machine(), options);
}

DeviceId device_of(const Plan& plan, StepId id) {
    const Queue& queue =
        plan.queues[static_cast<std::size_t>(plan.steps[static_cast<std::size_t>(id)].queue)];
    if (queue.kind == QueueKind::compute) return queue.index;
    const Link& link = plan.machine.links[static_cast<std::size_t>(queue.index)];
    return std::max(link.from, link.to) - 1;
}

/// What was told of a run, timed or not, is what is in C. Writes through slots are told of even if
/// their device was lost afterwards; of a write that itself failed some slots may have arrived.
void check_told(const Plan& plan, const Outcome& outcome, const Operands& x) {
    const std::vector<TileId> written = written_tiles(plan, outcome);
    const auto cut_short = [&](TileId tile) {
        return std::ranges::any_of(outcome.failures, [&](const Completion& failure) {
            const Step& step = plan.steps[static_cast<std::size_t>(failure.step)];
            return step.op == Opcode::write && step.out.tile == tile;
        });
    };
    for (TileId t = 0; t < std::ssize(plan.tiles); ++t) {
        const Tile& tile = plan.tiles[static_cast<std::size_t>(t)];
        if (tile.operand != operand::C || cut_short(t)) continue;
        const bool told = std::ranges::find(written, t) != written.end();
        EXPECT_TRUE(told ? x.right(tile) : x.old(tile)) << name_of(plan, tile);
    }
    EXPECT_TRUE(x.check_surroundings());
}

TEST(LostGpu, the_other_one_ends_what_does_not_need_it) {
    Random random(1);
    for (const bool timed : {true, false})
        for (const int kernels : {0, 3, 7}) {
            const auto backend = make_fake();
            const Plan plan = plan_on(*backend, "all");
            Operands x(case_of(problem_of(plan), random), random);
            Binding binding = x.binding();
            binding.timed = timed;
            FakeGpus::instance().fail_after(Call::gemm, kernels, FakeGpus::gone, breaks);
            const Outcome outcome = carry_out(plan, *backend, binding);
            EXPECT_FALSE(outcome.complete());
            ASSERT_FALSE(outcome.failures.empty());
            for (const Completion& failure : outcome.failures) {
                EXPECT_EQ(device_of(plan, failure.step), breaks);
                EXPECT_EQ(failure.code, Code::no_device);
            }
            for (StepId id = 0; id < std::ssize(plan.steps); ++id)
                EXPECT_TRUE(device_of(plan, id) == breaks ||
                            outcome.ended[static_cast<std::size_t>(id)])
                    << id;
            EXPECT_TRUE(backend->lost(breaks));
            EXPECT_FALSE(backend->lost(0));
            check_told(plan, outcome, x);
        }
}

TEST(LostGpu, a_plan_without_it_runs_and_one_with_it_is_refused) {
    Random random(2);
    const auto backend = make_fake();
    const Plan both = plan_on(*backend, "all"), rest = plan_on(*backend, "gpu0");
    Operands x(case_of(problem_of(both), random), random);
    FakeGpus::instance().fail_after(Call::copy, 2, FakeGpus::gone, breaks);
    EXPECT_THROW(run_untimed(both, *backend, x.binding()), Error);
    for (int i = 0; i < 2; ++i) {
        Operands y(case_of(problem_of(rest), random), random);
        run_untimed(rest, *backend, y.binding());
        EXPECT_TRUE(y.check());
        try {
            run_untimed(both, *backend, y.binding());
            ADD_FAILURE() << "it ran";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Code::no_device);
            EXPECT_NE(error.text().find("gpu1 was lost"), std::string::npos) << error.text();
        }
    }
}

TEST(LostGpu, batches_go_to_the_other_one) {
    Random random(3);
    const auto backend = make_fake();
    const auto loop = [](index_t count, index_t, const auto& f) { f(0, count); };
    const auto multiply = [&] {
        BatchCase batch(std::vector(40, random_case(random, 12)), random);
        const Batch x = batch.uniform();
        backend->batch(batch.layout() == Layout::RowMajor ? transposed(x) : x, loop);
        EXPECT_TRUE(batch.check());
    };
    multiply();
    EXPECT_GT(FakeGpus::instance().products[breaks], 0);
    FakeGpus::instance().fail_after(Call::batch, 0, FakeGpus::gone, breaks);
    EXPECT_THROW(multiply(), Error);
    FakeGpus::instance().products.clear();
    for (int i = 0; i < 3; ++i) multiply();
    EXPECT_EQ(FakeGpus::instance().products[breaks], 0);
    EXPECT_GE(FakeGpus::instance().products[0], 120);
}

/// A kernel that fails for once is not a device that is lost.
TEST(LostGpu, is_not_one_whose_call_failed) {
    Random random(4);
    const auto backend = make_fake();
    const Plan plan = plan_on(*backend, "all");
    Operands x(case_of(problem_of(plan), random), random);
    Binding binding = x.binding();
    binding.timed = false;
    FakeGpus::instance().fail_after(Call::gemm, 5, FakeGpus::bad_call, breaks);
    const Outcome outcome = carry_out(plan, *backend, binding);
    ASSERT_EQ(outcome.failures.size(), 1U);
    EXPECT_EQ(outcome.failures[0].code, Code::failed_step);
    EXPECT_FALSE(backend->lost(breaks));
    check_told(plan, outcome, x);
}

}  // namespace
}  // namespace gemmill::test
