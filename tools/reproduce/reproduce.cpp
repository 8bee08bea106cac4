// SPDX-License-Identifier: Apache-2.0
#include "reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "api/plans/plan_problem.hpp"
#include "base/routine.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "matrix/placement.hpp"
#include "plan/text/words.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill reproduce uncut --quick\n"
    "  gemmill reproduce uncut --out figures\n"
    "  gemmill reproduce blasx --out figures\n"
    "  gemmill reproduce parsec --json\n"
    "  gemmill reproduce best --quick --check\n"
    "  gemmill reproduce disturbed --json\n"
    "  gemmill reproduce measured --data runs.csv --worst 5";

void add_measured(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("measured", "measured runs of libraries, run by run");
    const auto flags = std::make_shared<MeasuredFlags>();
    sub->add_option("--data", flags->data,
                    "CSV: gpus,m,n,k,a_at,b_at,c_at,library,tile,seconds,tflops")
        ->required();
    sub->add_option("--machine", flags->machine, "where they ran; default hgx-a100-8");
    sub->add_option("--worst", flags->worst, "list so many of the worst rows of each library");
    sub->add_flag("--json", flags->json, "one JSON object");
    sub->callback([flags, &action] { action = [flags] { return reproduce_measured(*flags); }; });
}

/// The evaluation of one paper, or of policies, as a subcommand.
struct Paper {
    const char* name;
    const char* help;
    const char* quick;
    int (*run)(const PaperFlags&);
    bool draws = true;
};
constexpr std::array<Paper, 5> papers{{
    {"uncut", "the evaluation of Uncut-GEMMs on 8 x A100", "every third point only",
     reproduce_uncut},
    {"blasx", "the evaluation of BLASX on 3 x K40c: six routines", "sizes up to 16384 only",
     reproduce_blasx},
    {"parsec", "DGEMM of the evaluation of GEMM over PaRSEC, on one and up to 72 nodes of Summit",
     "tiles of 4096 only", reproduce_parsec},
    {"disturbed", "policies best, dynamic and tail on a node that does less than planners know",
     "n = 16384 only", reproduce_disturbed, false},
    {"dynamic", "policy dynamic beside all others on the regular data set of Uncut-GEMMs",
     "every third point only", reproduce_dynamic, false},
}};

void add_paper(CLI::App& parent, Action& action, const Paper& paper) {
    CLI::App* sub = parent.add_subcommand(paper.name, paper.help);
    const auto flags = std::make_shared<PaperFlags>();
    if (paper.draws) sub->add_option("--out", flags->out, "folder for figures as SVG");
    sub->add_flag("--quick", flags->quick, paper.quick);
    sub->add_flag("--json", flags->json, "one JSON object, with every point");
    sub->callback(
        [flags, run = paper.run, &action] { action = [flags, run] { return run(*flags); }; });
}

void add_best(CLI::App& parent, Action& action) {
    CLI::App* sub =
        parent.add_subcommand("best", "what policy best promises, on the points of Uncut-GEMMs");
    const auto flags = std::make_shared<BestFlags>();
    sub->add_flag("--quick", flags->quick, "every ninth point only");
    sub->add_flag("--check", flags->check, "validate every plan; exit code 1 when one has faults");
    sub->add_flag("--json", flags->json, "one JSON object, with every point");
    sub->callback([flags, &action] { action = [flags] { return reproduce_best(*flags); }; });
}

}  // namespace

std::string name_of(const Case& one) {
    return fmt::format("{} x {} x {} at {} on {}", one.m, one.n, one.k, one.at, one.gpus);
}

std::string routine_name(const Case& one) {
    return fmt::format("{}{} {}", letter_of(one.type), name_of(one.routine), name_of(one));
}

std::string gpu_subset(index_t gpus) {
    switch (gpus) {
        case 1:
            return "0";
        case 2:
            return "0,2";
        case 4:
            return "0,2,4,6";
        case 8:
            return "0-7";
        default:
            break;
    }
    throw Error(Code::bad_argument, fmt::format("gpus: {} is none of 1, 2, 4, 8", gpus));
}

std::string first_gpus(index_t gpus) { return gpus == 1 ? "0" : fmt::format("0-{}", gpus - 1); }

namespace {

/// Without the places of its operands.
Problem problem_of(const Case& one) {
    Problem problem;
    problem.routine = one.routine;
    problem.type = one.type;
    problem.m = one.m, problem.n = one.n, problem.k = one.k;
    problem.alpha = problem.beta = Factor::general;
    return problem;
}

}  // namespace

double tera(const Case& one, double seconds) { return 1e-12 * flops_of(problem_of(one)) / seconds; }

Traffic traffic_of(const Machine& machine, const Simulated& run, MemoryId memory) {
    const auto is_host = [&](MemoryId m) {
        return machine.memories[static_cast<std::size_t>(m)].kind == MemoryKind::host;
    };
    Traffic traffic;
    for (std::size_t l = 0; l < machine.links.size(); ++l) {
        const Link& link = machine.links[l];
        const auto bytes = static_cast<double>(run.link_bytes[l]);
        if (link.from == link.to) continue;
        if (link.to == memory)
            (is_host(link.from) ? traffic.from_host : traffic.from_peers) += bytes;
        if (link.from == memory && is_host(link.to)) traffic.to_host += bytes;
    }
    return traffic;
}

Plan plan_case(const Machine& machine, const Case& one, const Variant& variant, Subset devices) {
    Problem problem = problem_of(one);
    problem.home = parse_placement(machine, one.at);
    Options options;
    options.policy = variant.policy;
    options.devices = devices(one.gpus);
    for (const std::string& text : variant.set) {
        const std::size_t equals = text.find('=');
        options.set(text.substr(0, equals), text.substr(equals + 1));
    }
    return plan_problem(problem, machine, options);
}

const Simulated& Evaluator::run(const Case& one, const Variant& variant) {
    const auto [place, fresh] = done_.try_emplace({one, variant.name});
    if (!fresh) return place->second;
    const Progress progress(fmt::format("{}: {} {}", done_.size(), variant.name, name_of(one)));
    const Plan plan = plan_case(machine_, one, variant, devices_);
    place->second = {plan.prediction.seconds, plan.prediction.bound_seconds,
                     plan.prediction.link_bytes};
    return place->second;
}

double peak_share(Evaluator& e, const Case& one, const Variant& variant) {
    const double peak = e.machine().devices.front().peak[static_cast<std::size_t>(one.type)];
    return 1e12 * tera(one, e.seconds(one, variant)) / (peak * one.gpus);
}

double parallel_efficiency(Evaluator& e, const Case& one, const Variant& variant) {
    Case alone = one;
    alone.gpus = 1;
    return e.seconds(alone, variant) / (one.gpus * e.seconds(one, variant));
}

void add_reproduce(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("reproduce", "Measured numbers beside simulated ones");
    sub->footer(footer);
    sub->require_subcommand(1);
    add_measured(*sub, action);
    for (const Paper& paper : papers) add_paper(*sub, action, paper);
    add_best(*sub, action);
}

}  // namespace gemmill::command
