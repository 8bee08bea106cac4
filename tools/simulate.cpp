// SPDX-License-Identifier: Apache-2.0
// gemmill simulate: what a call takes on any machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "common.hpp"
#include "model/engine.hpp"
#include "summary.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill simulate --machine hgx-a100-8 --m 16384 --at h,h,0\n"
    "  gemmill simulate --machine summit-node --devices 0-2 --type s --m 30000 --json\n"
    "  gemmill simulate --machine 'gpu:4(mem=16GB,d=7T)' --m 20000 --cap 4GiB --html t.html";

int simulate_call(const CallFlags& flags) {
    const MadePlan made = plan_of(flags);
    if (wants_drawing(flags)) draw(flags, made.plan, simulate(made.plan));
    if (flags.json)
        fmt::print("{}\n", summary_json(made.plan, made.seconds).dump(2));
    else
        fmt::print("{}", summary(made.plan, made.seconds));
    return ok;
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("simulate", "What a call takes on any machine");
    sub->footer(footer);
    const auto flags = std::make_shared<CallFlags>();
    add_call_flags(*sub, *flags, {.machine = true, .saved_plan = false});
    sub->callback([flags, &action] { action = [flags] { return simulate_call(*flags); }; });
}

}  // namespace gemmill::command
