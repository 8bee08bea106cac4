// SPDX-License-Identifier: Apache-2.0
#include "backend/sim/sim.hpp"

#include "backend/conformance.hpp"
#include "backend/cpu/probe.hpp"
#include "exec/run.hpp"
#include "kernel/reference/reference.hpp"
#include "model/engine.hpp"
#include "support/plan_case.hpp"

namespace gemmill::test {
namespace {

const BackendMaker sim_maker{
    "sim", [](int devices) { return std::make_unique<SimBackend>(cpu_machine(devices)); },
    [](int devices, Kernels kernels) {
        return std::make_unique<SimBackend>(cpu_machine(devices), kernels, allocate_host);
    },
    [](int devices, Allocate allocate) {
        return std::make_unique<SimBackend>(cpu_machine(devices), reference_kernels(),
                                            std::move(allocate));
    }};

INSTANTIATE_TEST_SUITE_P(Sim, Conformance, ::testing::Values(sim_maker), name_of_maker);

/// The same virtual times with and without data, run after run: those of the model.
TEST(SimBackend, takes_the_time_that_the_model_says) {
    Random random(1);
    for (int i = 0; i < affordable(100); ++i) {
        const Machine machine = random_machine(random);
        const Problem p = random_problem(random, machine, 20);
        Options options;
        options.tile = 6;
        const Plan plan = make_plan(p, machine, options);
        const Timeline model = simulate(plan);
        SimBackend sim(machine);
        Operands x(case_of(p, random), random);
        EXPECT_EQ(run(plan, sim, Binding{}), model) << to_string(plan);
        EXPECT_EQ(run(plan, sim, x.binding()), model) << to_string(plan);
        EXPECT_EQ(makespan(model), plan.prediction.seconds);
    }
}

/// Without operands nothing is allocated: a machine of any size can be simulated.
TEST(SimBackend, time_alone_needs_no_memory) {
    const Allocate none = [](const Memory&, std::size_t) -> std::shared_ptr<std::byte> {
        throw Error(Code::out_of_memory, "none");
    };
    const Machine machine = load_machine("dgx-h100-8");
    SimBackend sim(machine, reference_kernels(), none);
    Problem p;
    p.m = p.n = p.k = 100'000;
    const Plan plan = make_plan(p, machine, {});
    EXPECT_EQ(makespan(run(plan, sim, Binding{})), plan.prediction.seconds);
}

/// A plan that cuts k rounds C to 16 bits after each part.
TEST(SimBackend, parts_of_k_are_rounded_one_by_one) {
    const Machine machine = synthetic_machine("gpu:1(h=1T)");
    Problem p;
    p.type = Type::h;
    p.m = p.n = 1, p.k = 3;
    const std::vector<half> a{half(2048), half(1), half(1)}, b(3, half(1));
    SimBackend sim(machine);
    const auto product = [&](index_t tile) {
        Options options;
        options.tile = tile;
        half c(0);
        const Plan plan = make_plan(p, machine, options);
        EXPECT_EQ(roundings(plan), tile == 1 ? 3 : 1);
        run(plan, sim, {{a.data(), b.data(), &c}, {1, 3, 1}, {1, 0}, {0, 0}});
        return float(c);
    };
    EXPECT_EQ(product(3), 2050);
    EXPECT_EQ(product(1), 2048);  // 2049 is a tie between 2048 and 2050
}

}  // namespace
}  // namespace gemmill::test
