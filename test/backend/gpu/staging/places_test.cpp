// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/places.hpp"

#include <gtest/gtest.h>

#include "plan/ops.hpp"
#include "support/fake_gpu.hpp"
#include "support/plan_case.hpp"
#include "task/problem.hpp"

namespace gemmill::test {
namespace {

constexpr index_t n = 64, tile = 16;

/// Matrices of doubles on the host, planned for GPUs of which `gpus` are different ones.
struct Fixture {
    explicit Fixture(int devices, int gpus, index_t short_run, Routine routine = Routine::gemm,
                     index_t slot = tile * tile * 4)
        : state(setup(devices, gpus, short_run, slot)) {
        Problem p;
        p.routine = routine;
        p.m = p.n = p.k = n;
        p.alpha = p.beta = Factor::general;
        Options options;
        options.tile = tile;
        options.policy = "blasx";  // all devices
        plan = make_plan(p, state.setup.machine, options);
        desk.emplace(state.desks, plan);
        lanes = desk->lanes();
        binding.data.resize(3), binding.ld.resize(3);
        for (std::size_t o = 0; o < 3; ++o) binding.data[o] = memory[o].data(), binding.ld[o] = n;
    }
    ~Fixture() {
        for (auto& block : memory) fake_gpu_driver().unpin(block.data());
    }

    static GpuSetup setup(int devices, int gpus, index_t short_run, index_t slot) {
        FakeGpus::instance().reset();
        GpuSetup s;
        s.driver = &fake_gpu_driver();
        s.machine = synthetic_machine("gpu:" + std::to_string(devices) +
                                      "(mem=1GB,d=1T) nvlink:100GB/s pcie:10GB/s");
        s.ordinals.push_back(-1);
        for (int d = 0; d < devices; ++d) s.ordinals.push_back(d % gpus);
        s.staging = {2, 3, slot, short_run};
        return s;
    }
    void pin() {
        for (auto& block : memory)
            ASSERT_EQ(fake_gpu_driver().pin(block.data(), block.size() * sizeof(double)), 0);
    }
    /// Steps of an operand that go through slots, and all that copy it from or to the host.
    std::pair<int, int> count(OperandId operand) {
        const Places places(state, plan, binding, lanes);
        std::pair<int, int> found;
        for (const Step& step : plan.steps) {
            const Ref& host = step.op == Opcode::write ? step.out : step.in[0];
            const bool from_home =
                moves(step) && host.buffer == Ref::home &&
                plan.tiles[static_cast<std::size_t>(host.tile)].operand == operand;
            if (!from_home) continue;
            ++found.second;
            found.first += places.by_slots(step);
        }
        return found;
    }

    GpuBackend::State state;
    std::optional<Desks::Hold> desk;
    Plan plan;
    std::vector<Lane> lanes;
    std::array<std::vector<double>, 3> memory{std::vector<double>(n * n), std::vector<double>(n* n),
                                              std::vector<double>(n* n)};
    Binding binding;
};

TEST(Places, pageable_matrices_go_through_slots_and_pinned_ones_do_not) {
    Fixture x(2, 2, 0);
    for (const OperandId operand : {operand::A, operand::B, operand::C}) {
        const auto [slots, all] = x.count(operand);
        EXPECT_GT(all, 0);
        EXPECT_EQ(slots, all);
    }
    x.pin();
    for (const OperandId operand : {operand::A, operand::B, operand::C})
        EXPECT_EQ(x.count(operand).first, 0);
}

TEST(Places, short_columns_of_pinned_memory_do_where_one_gpu_does_it_all) {
    for (const auto& [gpus, short_run, packed] :
         {std::tuple{1, tile * 8 + 1, true}, {1, tile * 8, false}, {2, tile * 8 + 1, false}}) {
        Fixture x(2, gpus, short_run);
        x.pin();
        const auto [slots, all] = x.count(operand::A);
        EXPECT_GT(all, 0);
        EXPECT_EQ(slots, packed ? all : 0) << gpus << " GPUs, " << short_run;
    }
}

TEST(Places, short_columns_that_fill_less_than_two_slots_are_copied_by_the_gpu) {
    Fixture x(1, 1, tile * 8 + 1, Routine::gemm, tile * tile * 4 + 1);
    x.pin();
    const auto [slots, all] = x.count(operand::A);
    EXPECT_GT(all, 0);
    EXPECT_EQ(slots, 0);
}

/// What trsm reads again must be there first.
TEST(Places, solved_blocks_in_pinned_memory_are_copied_by_the_gpu) {
    Fixture x(1, 1, tile * 8 + 1, Routine::trsm);
    x.pin();
    const auto [slots, all] = x.count(operand::C);
    EXPECT_GT(all, 0);
    EXPECT_EQ(slots, 0);
    EXPECT_GT(x.count(operand::A).first, 0);
}

}  // namespace
}  // namespace gemmill::test
