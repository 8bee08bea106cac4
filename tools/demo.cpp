// SPDX-License-Identifier: Apache-2.0
// gemmill demo: one product here, checked, and the same call on a machine with eight GPUs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>

#include "backend/cpu/probe.hpp"
#include "base/text.hpp"
#include "call/product.hpp"
#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "model/engine.hpp"
#include "pictures/strip.hpp"
#include "planner/planner.hpp"
#include "plans/summary.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill demo\n"
    "  gemmill demo --out out --n 2000";
constexpr index_t node_edge = 16384;  // one A100 node has little to do below
constexpr const char* node = "hgx-a100-8";

struct DemoFlags {
    std::string out, n = "3072";
};

Product square(index_t n) {
    Product product;
    product.problem.m = product.problem.n = product.problem.k = n;
    product.problem.beta = Factor::one;
    product.alpha = product.beta = {1, 0};
    product.check = true;
    return product;
}

void print_peak(const Context& context, double rate) {
    double peak = 0;
    for (const Device& device : context.machine().devices)
        peak += device.peak[static_cast<std::size_t>(Type::d)];
    const HostFacts facts = host_facts();
    fmt::print("  peak   {}: {} cores x {:.3g} GHz x {} flops a cycle; reached {}\n",
               human_flops(peak), facts.cores, facts.hertz / 1e9, facts.flops_per_cycle,
               percent(rate / peak));
}

bool multiply_here(index_t n) {
    Context context;
    fmt::print("C = A B + C with random {} x {} matrices of doubles, on this machine\n", n, n);
    run_product(context, square(std::min<index_t>(n, 256)));  // starts the threads of the BLAS
    const Product product = square(n);
    const Outcome outcome = run_product(context, product);
    const double rate = flops_of(product.problem) / outcome.best();
    const Verdict verdict = *outcome.verdict;
    fmt::print("  by     {}\n", outcome.direct
                                    ? fmt::format("the host BLAS, {} threads", host_blas_threads())
                                    : outcome.plan->machine.name);
    fmt::print("  time   {}, {}\n", human_seconds(outcome.best()), human_flops(rate));
    print_peak(context, rate);
    fmt::print("  check  {} by {}: error {:.2g} of what rounding may do\n",
               verdict.right() ? "right" : "WRONG", verdict.method, verdict.error);
    return verdict.right();
}

/// Throws Error(io) when the folder cannot be made.
void plan_elsewhere(const std::string& folder) {
    const Machine machine = load_machine(node);
    Options options;
    const Stopwatch watch;
    const Plan plan = [&] {
        const Progress progress("planning");
        return make_plan(square(node_edge).problem, machine, options);
    }();
    const double seconds = watch.seconds();
    const Timeline timeline = simulate(plan);
    fmt::print("\nThe same call with n = {} on a node of eight A100, simulated\n", node_edge);
    fmt::print("(a smaller n would leave it idle)\n\n{}\n{}", summary(plan, seconds),
               draw_strip(plan, timeline));
    if (folder.empty()) return;
    const std::filesystem::path base(folder);
    write_file(base / "timeline.svg", draw_svg(plan, timeline));
    write_file(base / "timeline.html", draw_html(plan, timeline));
    write_file(base / "trace.json", chrome_trace(plan, timeline));
    fmt::print(
        "\nthis run is drawn in\n  {0}/timeline.svg\n  {0}/timeline.html  for a browser\n"
        "  {0}/trace.json     for ui.perfetto.dev\n",
        folder);
}

int demo(const DemoFlags& flags) {
    const index_t n = parse_at_least(flags.n, "--n", 1);
    if (!flags.out.empty()) make_folder(flags.out);
    const bool right = multiply_here(n);
    flush_output();
    plan_elsewhere(flags.out);
    return right ? ok : failed;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("demo", "A product here, and the same on eight GPUs");
    sub->footer(footer);
    const auto flags = std::make_shared<DemoFlags>();
    sub->add_option("--out", flags->out, "folder for timeline.svg, timeline.html and trace.json");
    sub->add_option("--n", flags->n, "edge of the matrices; default 3072");
    sub->callback([flags, &action] { action = [flags] { return demo(*flags); }; });
}

}  // namespace gemmill::command
