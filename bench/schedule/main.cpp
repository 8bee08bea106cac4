// SPDX-License-Identifier: Apache-2.0
// The scheduler on the model's clock: what a decision costs, and how its plans compare with those
// of policy best without it and of the fastest named policy, on random problems.
//
//     gemmill_bench_schedule [machine] [problems] [seed]
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>

#include "base/routine.hpp"
#include "gemmill/error.hpp"
#include "planner/planner.hpp"
#include "planner/policy.hpp"
#include "schedule/recipe/propose.hpp"
#include "schedule/schedule.hpp"
#include "task/describe.hpp"

namespace {

using namespace gemmill;

double seconds_of(const std::function<void()>& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Plan frame_of(const Problem& problem, const Machine& machine) {
    Plan frame;
    frame.machine = machine;
    describe(problem, frame);
    frame.devices = parse_devices(machine, "all");
    for (const Memory& memory : machine.memories) frame.limit.push_back(memory.capacity);
    return frame;
}

/// Microseconds a step, with the clock that drives it and the prediction of the plan.
void time_decisions(const Machine& machine) {
    fmt::print("{:>8} {:>6} {:>8} {:>10}\n", "n", "tile", "steps", "us a step");
    for (const index_t tile : {2048, 1024, 512, 384}) {
        Problem p;
        p.m = p.n = p.k = 16384;
        p.beta = Factor::general;
        Plan plan;
        const double seconds = seconds_of([&] {
            plan = schedule_on_clock(frame_of(p, machine), tasks_of(p, {tile, tile, tile}), {});
        });
        fmt::print("{:>8} {:>6} {:>8} {:>10.2f}\n", p.m, tile, plan.steps.size(),
                   1e6 * seconds / static_cast<double>(plan.steps.size()));
    }
}

struct Case {
    Problem problem;
    Options options;
};

/// Sizes from 1024 to 20000; half of the problems are gemm, half lie on the host, a quarter has a
/// cap, a fifth one or two devices.
Case random_case(std::mt19937_64& engine, const Machine& machine) {
    const auto below = [&](std::size_t n) { return static_cast<int>(engine() % n); };
    const auto size = [&] {
        return static_cast<index_t>(1024 * std::pow(20000.0 / 1024, 1e-3 * below(1000)));
    };
    Case c;
    Problem& p = c.problem;
    p.routine = below(2) == 0 ? static_cast<Routine>(below(10)) : Routine::gemm;
    if (is_hermitian(p.routine)) p.type = Type::z;
    p.m = size(), p.n = size(), p.k = size();
    if (below(3) == 0) p.n = p.k = p.m;
    p.side = below(2) == 0 ? Side::Right : Side::Left;
    p.uplo = below(2) == 0 ? Uplo::Upper : Uplo::Lower;
    if (reads_triangle(p.routine))
        p.k = p.side == Side::Left ? p.m : p.n;
    else if (p.routine != Routine::gemm)
        p.m = p.n;
    p.alpha = p.beta = Factor::general;
    if (below(2) == 0)
        for (MemoryId& home : p.home) home = below(machine.memories.size());
    c.options.devices = "all";
    if (below(4) == 0) c.options.device_memory = std::int64_t{200 + below(1500)} << 20;
    if (below(5) == 0) c.options.devices = below(2) == 0 ? "0" : "0,1";
    return c;
}

double planned(const Case& c, const Machine& machine, std::string_view policy) {
    Options options = c.options;
    options.policy = policy;
    if (policy == "dynamic") options.search = "100ms";
    const auto schedule = [](const Plan& frame, const Problem& problem, const Options&,
                             const Allowance& allowance) -> Offer {
        ProposalLimits limits;
        limits.steps = allowance.steps;
        auto found = propose(frame, problem, limits);
        return {found ? std::optional<Plan>(std::move(found->plan)) : std::nullopt};
    };
    Help help;
    if (policy == "dynamic") help.elsewhere = schedule;
    try {
        return make_plan(c.problem, machine, options, nullptr, help).prediction.seconds;
    } catch (const Error&) {
        return INFINITY;
    }
}

void compare(const Machine& machine, int problems, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    int cases = 0, faster = 0, not_behind = 0;
    double ratio = 0, gain = 0, worst = 0;
    for (int i = 0; i < problems; ++i) {
        const Case c = random_case(engine, machine);
        const double best = planned(c, machine, "best"), dynamic = planned(c, machine, "dynamic");
        if (!std::isfinite(best) || !std::isfinite(dynamic)) continue;
        double named = INFINITY;
        for (const Policy& policy : policies())
            if (!policy.search) named = std::min(named, planned(c, machine, policy.name));
        ++cases;
        faster += dynamic < best ? 1 : 0;
        not_behind += dynamic <= named ? 1 : 0;
        ratio += std::log(dynamic / best);
        gain += std::log(std::min(1.0, dynamic / best));
        worst = std::max(worst, dynamic / best);
    }
    fmt::print(
        "\n{} problems on {}, seed {}: dynamic / best {:.3f} in the geometric mean, {:.2f} at "
        "worst; "
        "faster in {}; not slower than any named policy in {}; best with it takes {:.3f}\n",
        cases, machine.name, seed, std::exp(ratio / cases), worst, faster, not_behind,
        std::exp(gain / cases));
}

}  // namespace

int main(int argc, char** argv) {
    const Machine machine = load_machine(argc > 1 ? argv[1] : "hgx-a100-8");
    time_decisions(machine);
    compare(machine, argc > 2 ? std::atoi(argv[2]) : 24,
            argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 101);
}
