// SPDX-License-Identifier: Apache-2.0
#include "reproduce.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "common.hpp"
#include "matrix/placement.hpp"
#include "planner/planner.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill reproduce uncut --quick\n"
    "  gemmill reproduce uncut --out figures\n"
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

void add_uncut(CLI::App& parent, Action& action) {
    CLI::App* sub = parent.add_subcommand("uncut", "the evaluation of Uncut-GEMMs on 8 x A100");
    const auto flags = std::make_shared<UncutFlags>();
    sub->add_option("--out", flags->out, "folder for figures as SVG");
    sub->add_flag("--quick", flags->quick, "every third point only");
    sub->add_flag("--json", flags->json, "one JSON object, with every point");
    sub->callback([flags, &action] { action = [flags] { return reproduce_uncut(*flags); }; });
}

}  // namespace

std::string name_of(const Case& one) {
    return fmt::format("{} x {} x {} at {} on {}", one.m, one.n, one.k, one.at, one.gpus);
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

const Simulated& Evaluator::run(const Case& one, const Variant& variant) {
    const auto [place, fresh] = done_.try_emplace({one, variant.name});
    if (!fresh) return place->second;
    const Progress progress(fmt::format("{}: {} {}", done_.size(), variant.name, name_of(one)));
    Problem problem;
    problem.type = one.type;
    problem.m = one.m, problem.n = one.n, problem.k = one.k;
    problem.alpha = problem.beta = Factor::general;
    problem.home = parse_placement(machine_, one.at);
    Options options;
    options.policy = variant.policy;
    options.devices = gpu_subset(one.gpus);
    for (const std::string& text : variant.set) {
        const std::size_t equals = text.find('=');
        options.set(text.substr(0, equals), text.substr(equals + 1));
    }
    const Plan plan = make_plan(problem, machine_, options);
    place->second = {plan.prediction.seconds, plan.prediction.bound_seconds};
    return place->second;
}

void add_reproduce(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("reproduce", "Measured numbers beside simulated ones");
    sub->footer(footer);
    sub->require_subcommand(1);
    add_measured(*sub, action);
    add_uncut(*sub, action);
}

}  // namespace gemmill::command
