// SPDX-License-Identifier: Apache-2.0
// Two devices of the CPU with 1 and 3 threads, the larger one at a quarter of its rate, unknown to
// the planner: a static plan against the scheduler, real runs.
//
//     gemmill_bench_slowed [--quick] [--out FILE]
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "backend/cpu/cpu.hpp"
#include "backend/cpu/probe.hpp"
#include "exec/run.hpp"
#include "kernel/reference/reference.hpp"
#include "runner.hpp"
#include "schedule/recipe/rerun.hpp"
#include "schedule/schedule.hpp"
#include "task/describe.hpp"

namespace {

using namespace gemmill;

/// C = A B with matrices whose product is known: A has ones, row i of B has i mod 7.
class Product {
  public:
    explicit Product(index_t n) : n_(n) {
        const auto size = static_cast<std::size_t>(n * n);
        a_.assign(size, 1), b_.resize(size), c_.resize(size);
        for (std::size_t i = 0; i < size; ++i)
            b_[i] = static_cast<double>(i % static_cast<std::size_t>(n) % 7);
        for (index_t i = 0; i < n; ++i) wanted_ += static_cast<double>(i % 7);
        problem_.m = problem_.n = problem_.k = n;
    }
    const Problem& problem() const { return problem_; }
    Binding binding() {
        c_.assign(c_.size(), NAN);
        return {{a_.data(), b_.data(), c_.data()}, {n_, n_, n_}, {1, 0}, {0, 0}};
    }
    bool is_right() const {
        for (const double x : c_)
            if (x != wanted_) return false;
        return true;
    }

  private:
    index_t n_;
    double wanted_ = 0;
    std::vector<double> a_, b_, c_;
    Problem problem_;
};

/// The planner knows the threads, not the rate.
Machine uneven_machine() {
    HostFacts facts;
    facts.cores = 2, facts.hertz = 1e9, facts.flops_per_cycle = 1, facts.memory = 1 << 30;
    Machine machine = cpu_machine(host_machine(facts), 2);
    for (double& peak : machine.devices[1].peak) peak *= 3;
    machine.devices[1].queues = 3;  // a kernel for each thread
    return machine;
}

Plan frame_of(const Problem& problem, const Machine& machine) {
    Plan frame;
    frame.machine = machine;
    describe(problem, frame);
    frame.devices = {0, 1};
    for (const Memory& memory : machine.memories) frame.limit.push_back(memory.capacity);
    return frame;
}

int run_slowed(const bench::Settings& settings) {
    const index_t n = settings.quick ? 128 : 640, tile = n / 8;
    CpuBackend cpu({uneven_machine(), reference_kernels(), 2, allocate_host, {1, 3}, {1, 0.25}});
    Product product(n);
    const Plan frame = frame_of(product.problem(), cpu.machine());
    const Tasks tasks = tasks_of(product.problem(), {tile, tile, n});
    const Plan plan = schedule_on_clock(frame, tasks, {});
    bool right = true;
    const auto checked = [&](const std::function<void()>& call) {
        call();
        right = right && product.is_right();
    };
    bench::Settings few = settings;
    few.rounds = settings.quick ? 3 : 11;
    const auto deciding = [&](const Deal& deal) {
        return [&, deal] {
            checked([&] { schedule_on_backend(frame, tasks, {}, cpu, product.binding(), deal); });
        };
    };
    const bench::Contender fixed{
        "static", [&] { checked([&] { run_untimed(plan, cpu, product.binding()); }); }};
    const bench::Pair pair = bench::compare(few, {"dynamic", deciding({})}, fixed);
    const bench::Pair tail = bench::compare(
        few, {"tail", deciding(deal_of(plan, tasks, frame.devices, tail_share))}, fixed);
    fmt::print(
        "dgemm n = {}, devices of 1 and 3 threads, the second at rate 0.25\n"
        "static {:.1f} ms, dynamic {:.1f} ms, static / dynamic {:.2f}, tail {:.1f} ms, static / "
        "tail {:.2f}, results {}\n",
        n, 1e3 * pair.second, 1e3 * pair.first, pair.ratio, 1e3 * tail.first, tail.ratio,
        right ? "right" : "WRONG");
    bench::write(few, {{"n", n},
                       {"static_seconds", pair.second},
                       {"dynamic_seconds", pair.first},
                       {"static_over_dynamic", pair.ratio},
                       {"tail_seconds", tail.first},
                       {"static_over_tail", tail.ratio},
                       {"right", right}});
    return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_slowed(bench::parse(argc, argv)); }
