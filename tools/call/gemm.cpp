// SPDX-License-Identifier: Apache-2.0
// gemmill gemm: runs one product, or a call of another routine, for real, predicted against
// measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/open/devices.hpp"
#include "api/state.hpp"
#include "backend/gpu/devices.hpp"
#include "base/text.hpp"
#include "call/product.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "model/engine.hpp"
#include "plans/make.hpp"
#include "plans/summary.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill gemm --m 4000                                  the host BLAS\n"
    "  gemmill gemm --m 2000 --devices cpu:4 --check\n"
    "  gemmill gemm --m 900 --type z --trans nc --devices cpu:3 --at h,1,2 --check\n"
    "  gemmill gemm --m 1500 --type h --devices cpu:2 --check\n"
    "  gemmill gemm --m 3000 --devices cpu:2 --cap 64MiB --repeat 5 --trace run.json\n"
    "  gemmill gemm --m 16384 --devices cuda:0 --pinned --repeat 5\n"
    "  gemmill gemm --routine symm --m 2000 --devices cpu:2 --check\n"
    "  gemmill gemm --plan saved.plan --check\n"
    "\nThe matrices are random in -1 to 1. --check compares every element with the\n"
    "reference product up to 1e9 flops, and larger ones by a random vector in long\n"
    "double; of other routines every element up to 1e8 flops, then some of them. The\n"
    "error is in units of what rounding may do: 1 or less is right.";

struct GemmFlags {
    CallFlags call;
    bool check = false, pinned = false;
    std::string repeat = "1", layout = "col";
    bool given_alpha = false, given_beta = false;
};

std::string devices_for(const Plan& plan) {
    return plan.machine.name.starts_with("cpu:") ? plan.machine.name : "auto";
}

/// What a plan knows of a factor, as a number.
Scalar scalar_for(Factor factor) {
    return factor == Factor::zero  ? Scalar{}
           : factor == Factor::one ? Scalar{1, 0}
                                   : Scalar{0.75, 0};
}

Scalar planned_scalar(const std::string& text, bool given, const char* flag, Factor factor,
                      Type type) {
    if (!given) return scalar_for(factor);
    const Scalar value = scalar_of(text, flag, type);
    const bool fits = factor == Factor::general ? value != Scalar{} && value != Scalar{1, 0}
                                                : value == scalar_for(factor);
    require(fits, Code::bad_argument, "the value that the plan was made for",
            fmt::format("{}: {}", flag, text));
    return value;
}

Layout layout_of(const std::string& text) {
    require(text == "col" || text == "row", Code::bad_argument, "col or row",
            fmt::format("--layout: {}", shown(text)));
    return text == "col" ? Layout::ColMajor : Layout::RowMajor;
}

/// A row-major product is the column-major product of the transposed: C' = op(B)' op(A)'.
Problem as_columns(Problem p, Layout layout) {
    if (layout == Layout::ColMajor) return p;
    std::swap(p.m, p.n);
    std::swap(p.op_a, p.op_b);
    std::swap(p.home[0], p.home[1]);
    return p;
}

/// What BLAS has of the hermitian routines.
void check_hermitian(const Product& product) {
    const Problem& p = product.problem;
    if (!is_hermitian(p.routine)) return;
    require(p.routine != Routine::herk || product.alpha.im == 0, Code::bad_argument,
            "a real number", "--alpha: that of herk is complex");
    require(p.routine == Routine::hemm || product.beta.im == 0, Code::bad_argument, "a real number",
            "--beta: that of a hermitian update is complex");
}

Product product_of(const GemmFlags& flags, const Machine& machine) {
    Product product;
    product.layout = layout_of(flags.layout);
    require(flags.call.routine == "gemm" || product.layout == Layout::ColMajor, Code::bad_argument,
            "col, but for gemm", fmt::format("--layout: {}", shown(flags.layout)));
    product.problem = as_columns(problem_of(flags.call, machine), product.layout);
    const Type type = product.problem.type;
    product.alpha = scalar_of(flags.call.alpha, "--alpha", type);
    product.beta = scalar_of(flags.call.beta, "--beta", type);
    return product;
}

Product planned_product(const GemmFlags& flags, const Problem& problem) {
    Product product;
    product.problem = problem;
    product.alpha =
        planned_scalar(flags.call.alpha, flags.given_alpha, "--alpha", problem.alpha, problem.type);
    product.beta =
        planned_scalar(flags.call.beta, flags.given_beta, "--beta", problem.beta, problem.type);
    return product;
}

/// Seconds of all steps of a kind, one after the other.
double total(const Plan& plan, const Timeline& timeline, Opcode op) {
    double seconds = 0;
    for (std::size_t i = 0; i < timeline.size(); ++i)
        if (plan.steps[i].op == op) seconds += timeline[i].end - timeline[i].begin;
    return seconds;
}

std::string kinds_table(const Outcome& outcome) {
    const Plan& plan = *outcome.plan;
    const Timeline predicted = simulate(plan);
    const Statistics s = statistics(plan);
    Table table;
    table.row({"sum of steps", "count", "predicted", "measured"});
    for (int i = 0; i < opcode_count; ++i)
        if (const index_t count = s.steps[static_cast<std::size_t>(i)]; count > 0) {
            const auto op = static_cast<Opcode>(i);
            table.row({fmt::format("  {}", name_of(op)), std::to_string(count),
                       human_seconds(total(plan, predicted, op)),
                       human_seconds(total(plan, outcome.timeline, op))});
        }
    return table.text("");
}

double rate(const Outcome& outcome) {
    return outcome.best() > 0
               ? flops_of(outcome.plan->operands, outcome.plan->goal) / outcome.best()
               : 0;
}

void print_text(const Outcome& outcome) {
    const Plan& plan = *outcome.plan;
    const double predicted = plan.prediction.seconds;
    fmt::print("{}\n", describe(plan.machine, gemmill::problem_of(plan)));
    if (outcome.direct)
        fmt::print("by the host BLAS\n");
    else
        fmt::print("on {}, policy {}, {} steps\n", plan.machine.name, plan.policy,
                   plan.steps.size());
    fmt::print(
        "measured  {}, {}{}\n", human_seconds(outcome.best()), human_flops(rate(outcome)),
        outcome.seconds.size() > 1 ? fmt::format(" (best of {})", outcome.seconds.size()) : "");
    fmt::print("predicted {} ({:+.0f} %)\n", human_seconds(predicted),
               100 * (predicted / outcome.best() - 1));
    if (!outcome.timeline.empty()) fmt::print("\n{}", kinds_table(outcome));
    if (!outcome.verdict) return;
    fmt::print("check     {}: error {:.3g} of what rounding may do (by {})\n",
               outcome.verdict->right() ? "right" : "WRONG", outcome.verdict->error,
               outcome.verdict->method);
}

void print_json(const Outcome& outcome, Layout layout) {
    auto json = summary_json(*outcome.plan, outcome.plan_seconds);
    json["layout"] = layout == Layout::ColMajor ? "col" : "row";
    json["direct"] = outcome.direct;
    json["measured_seconds"] = outcome.best();
    json["model_ratio"] = outcome.model_ratio;
    json["measured_tflops"] = rate(outcome) / 1e12;
    json["runs"] = outcome.seconds;
    json["error"] = nullptr;
    if (outcome.verdict) {
        json["error"] = outcome.verdict->error;
        json["right"] = outcome.verdict->right();
        json["check"] = outcome.verdict->method;
    }
    fmt::print("{}\n", json.dump(2));
}

/// A name of GPUs that is malformed is so without any.
Context open_context(const Options& options) {
    constexpr int any = 1 << 20;
    const std::optional<DevicesWanted> wanted = parse_wanted(options.devices);
    if (wanted && wanted->gpus != "cuda") parse_gpus(wanted->gpus, any);
    return Context(options);
}

int gemm_call(const GemmFlags& flags) {
    Options options = options_of(flags.call);
    std::optional<Plan> plan;
    if (!flags.call.plan.empty()) plan = saved_plan(flags.call.plan);
    if (plan && flags.call.devices.empty()) options.devices = devices_for(*plan);
    Context context = sourced(flags.call, [&] { return open_context(options); });
    require(
        !context.state().direct() || (!plan && !wants_drawing(flags.call)), Code::bad_argument,
        "--devices cpu:N",
        fmt::format("--devices: the host BLAS does not run steps to {}", plan ? "replay" : "draw"));
    Product product = plan ? planned_product(flags, gemmill::problem_of(*plan))
                           : product_of(flags, context.machine());
    // Where a plan says host it means pinned memory.
    product.pinned = flags.pinned || (plan && target_of(*plan).home !=
                                                  find_memory(context.machine(), pageable_name));
    product.repeat = static_cast<int>(parse_between(flags.repeat, "--repeat", 1, 1'000'000));
    product.check = flags.check;
    check_hermitian(product);
    if (plan) named("--plan", [&] { context.adopt(std::move(*plan)); });
    const Outcome outcome = sourced(flags.call, [&] { return run_product(context, product); });
    if (!outcome.timeline.empty()) draw(flags.call, *outcome.plan, outcome.timeline);
    flags.call.json ? print_json(outcome, product.layout) : print_text(outcome);
    return outcome.verdict && !outcome.verdict->right() ? failed : ok;
}

}  // namespace

void add_gemm(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("gemm", "Run one call for real, predicted and measured");
    sub->footer(footer);
    const auto flags = std::make_shared<GemmFlags>();
    add_call_flags(*sub, flags->call, {.machine = false, .saved_plan = true});
    sub->add_flag("--check", flags->check, "verify the result; exit code 1 when it is wrong");
    sub->add_flag("--pinned", flags->pinned, "host matrices in pinned memory");
    sub->add_option("--repeat", flags->repeat, "calls; the shortest counts");
    sub->add_option("--layout", flags->layout, "col or row; default col")->excludes("--plan");
    sub->callback([flags, sub, &action] {
        flags->given_alpha = sub->count("--alpha") > 0;
        flags->given_beta = sub->count("--beta") > 0;
        action = [flags] { return gemm_call(*flags); };
    });
}

}  // namespace gemmill::command
