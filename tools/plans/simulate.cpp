// SPDX-License-Identifier: Apache-2.0
// gemmill simulate: what a call takes on any machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "model/disturb.hpp"
#include "plans/cluster.hpp"
#include "plans/make.hpp"
#include "plans/summary.hpp"
#include "schedule/recipe/rerun.hpp"
#include "task/describe.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill simulate --machine hgx-a100-8 --m 16384 --at h,h,0\n"
    "  gemmill simulate --machine summit-node --devices 0-2 --type s --m 30000 --json\n"
    "  gemmill simulate --machine 'gpu:4(mem=16GB,d=7T)' --m 20000 --cap 4GiB --html t.html\n"
    "  gemmill simulate --machine summit --nodes 72 --grid 12x12 --m 800000 --policy parsec --json";

/// What the call takes on the machine as it really is.
double disturbed_seconds(const Plan& plan, const std::vector<std::string>& texts) {
    std::vector<Disturbance> all;
    for (const std::string& text : texts) all.push_back(parse_disturbance(plan.machine, text));
    return makespan(run_disturbed(plan, problem_of(plan), all));
}

int simulate_call(const CallFlags& flags, const std::vector<std::string>& disturb) {
    const MadePlan made = plan_of(flags);
    const double disturbed = disturb.empty() ? 0 : disturbed_seconds(made.plan, disturb);
    if (wants_drawing(flags)) draw(flags, made.plan, simulate(made.plan));
    if (flags.json) {
        nlohmann::ordered_json json = summary_json(made.plan, made.seconds);
        if (!disturb.empty()) json["disturbed_seconds"] = disturbed;
        fmt::print("{}\n", json.dump(2));
        return ok;
    }
    fmt::print("{}", summary(made.plan, made.seconds));
    if (!disturb.empty())
        fmt::print("\ndisturbed {}, {:.2f} x the prediction\n", human_seconds(disturbed),
                   disturbed / made.plan.prediction.seconds);
    return ok;
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("simulate", "What a call takes on any machine");
    sub->footer(footer);
    const auto flags = std::make_shared<CallFlags>();
    add_call_flags(*sub, *flags, {.machine = true, .saved_plan = false});
    const auto disturb = std::make_shared<std::vector<std::string>>();
    sub->add_option(
        "--disturb", *disturb,
        "What happens to the machine while the call runs, unknown to the planner: \"gpu3 "
        "rate 0.5 from 10ms\", \"host->gpu1 rate 0.3 from 0s to 20ms\", \"gpu2 stops at "
        "15ms\"");
    const auto cluster = std::make_shared<ClusterFlags>();
    add_cluster_flags(*sub, *cluster);
    sub->callback([flags, disturb, cluster, &action] {
        action = [flags, disturb, cluster] {
            return is_for_cluster(*flags) ? simulate_on_cluster(*flags, *cluster)
                                          : simulate_call(*flags, *disturb);
        };
    });
}

}  // namespace gemmill::command
