// SPDX-License-Identifier: Apache-2.0
// gemmill plan: makes, loads, checks, prints, saves and draws plans.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "command/values.hpp"
#include "model/engine.hpp"
#include "plans/explain.hpp"
#include "plans/make.hpp"
#include "plans/summary.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill plan --machine h200 --m 32768 --cap 4GiB --check --out big.plan\n"
    "  gemmill plan --plan big.plan --check --svg big.svg\n"
    "  gemmill plan --machine hgx-a100-8 --m 16384 --explain\n"
    "  gemmill plan --machine cpu:4 --m 2000 --out p && gemmill gemm --plan p --check";

struct PlanFlags {
    CallFlags call;
    bool text = false, check = false, explain = false;
    std::string out;
};

/// A loaded plan may be anything: nothing looks into it before it is known to be valid.
MadePlan load(const std::string& path) {
    return named("--plan", [&] { return MadePlan{parse_plan(read_file(path)), 0, {}}; });
}

void print_faults(const PlanFlags& flags, const std::vector<std::string>& faults) {
    if (flags.call.json) {
        const nlohmann::ordered_json json{{"valid", false}, {"faults", faults}};
        fmt::print("{}\n", json.dump(2));
        return;
    }
    fmt::print("{} faults\n", faults.size());
    for (const std::string& fault : faults) fmt::print("  {}\n", fault);
}

void print(const PlanFlags& flags, const MadePlan& made) {
    if (flags.call.json) {
        auto json = summary_json(made.plan, made.seconds);
        if (flags.check) json["valid"] = true;
        if (flags.explain) json["explain"] = explanation_json(made);
        fmt::print("{}\n", json.dump(2));
    } else if (flags.text) {
        fmt::print("{}", to_text(made.plan));
    } else if (flags.explain) {
        fmt::print("{}", explanation(made));
    } else {
        fmt::print("{}", summary(made.plan, made.seconds));
        if (flags.check) fmt::print("\nok: the plan is valid\n");
    }
}

int plan_call(const PlanFlags& flags) {
    const bool loaded = !flags.call.plan.empty();
    MadePlan made = loaded ? load(flags.call.plan) : plan_of(flags.call);
    if (loaded || flags.check) {
        const Progress progress("checking");
        if (const auto faults = validate(made.plan); !faults.empty()) {
            print_faults(flags, faults);
            return failed;
        }
    }
    if (loaded) made.plan.prediction = predict(made.plan, simulate(made.plan));
    if (!flags.out.empty()) {
        named("--out", [&] { write_file(flags.out, to_text(made.plan)); });
        say("wrote " + flags.out);
    }
    if (wants_drawing(flags.call)) draw(flags.call, made.plan, simulate(made.plan));
    print(flags, made);
    return ok;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("plan", "Make, load, check, print, save and draw plans");
    sub->footer(footer);
    const auto flags = std::make_shared<PlanFlags>();
    add_call_flags(*sub, flags->call, {.machine = true, .saved_plan = true});
    CLI::Option* text = sub->add_flag("--text", flags->text, "print the plan itself");
    text->group("Output")->excludes("--json");
    sub->add_flag("--explain", flags->explain, "what was chosen, and every plan that was tried")
        ->group("Output")
        ->excludes("--plan")
        ->excludes(text);
    sub->add_flag("--check", flags->check, "validate it; exit code 1 when it has faults")
        ->group("Output");
    sub->add_option("--out", flags->out, "save the plan in this file")->group("Output");
    sub->callback([flags, &action] { action = [flags] { return plan_call(*flags); }; });
}

}  // namespace gemmill::command
