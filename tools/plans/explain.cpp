// SPDX-License-Identifier: Apache-2.0
#include "plans/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "command/console.hpp"
#include "planner/planner.hpp"
#include "plans/summary.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

/// The plan that was made, then the others, the fastest first.
std::vector<Tried> chosen_first(const MadePlan& made) {
    std::vector<Tried> tried = made.tried;
    std::ranges::stable_sort(tried, {}, &Tried::seconds);
    const auto chosen = std::ranges::find_if(tried, [&](const Tried& one) {
        return one.seconds == made.plan.prediction.seconds && one.steps == made.plan.steps.size();
    });
    if (chosen != tried.end()) std::rotate(tried.begin(), chosen, chosen + 1);
    return tried;
}

/// "gpu0,gpu1 grid 1x2 tile 0x0x0" as "2 devices", "grid 1x2", "tile auto".
std::vector<std::string> choices(const std::string& what) {
    const std::vector<std::string> words = split(what, ' ');
    const auto devices = std::ranges::count(words.front(), ',') + 1;
    std::vector<std::string> all{fmt::format("{} device{}", devices, devices == 1 ? "" : "s")};
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        const bool open = words[i + 1].find_first_not_of("0x") == std::string::npos &&
                          words[i + 1].find('x') != std::string::npos;
        all.push_back(words[i] + " " + (open ? "auto" : words[i + 1]));
    }
    return all;
}

/// What a candidate does otherwise than the chosen one.
std::string differences(const std::string& what, const std::vector<std::string>& chosen) {
    std::vector<std::string> other;
    for (const std::string& choice : choices(what))
        if (std::ranges::find(chosen, choice) == chosen.end()) other.push_back(choice);
    return other.empty() ? "the same" : join(other, ", ");
}

/// Seconds of one over those of the chosen one; 1 when there is nothing to do.
double relative(const Tried& one, const Tried& chosen) {
    return chosen.seconds > 0 ? one.seconds / chosen.seconds : 1;
}

std::string about_c(const Plan& plan, const Statistics& s) {
    const auto adds = s.steps[static_cast<std::size_t>(Opcode::add)];
    if (!is_read(plan.goal, plan.goal.target)) return "not read, beta is 0";
    return adds > 0 ? fmt::format("{} tiles are fetched after their products and added", adds)
                    : "fetched before its first product, or used where it lies";
}

std::string bytes_lines(const Statistics& s) {
    const auto text = [](std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
    const std::string relayed =
        s.relayed > 0 ? fmt::format(", of it {} relayed", text(s.relayed)) : "";
    return fmt::format(
        "{} from the host (at least {}){}\n"
        "           {} to it (at least {}), {} between devices\n"
        "           fetched from home: {}",
        text(s.moved.h2d), text(s.bound.h2d), relayed, text(s.moved.d2h), text(s.bound.d2h),
        text(s.moved.d2d), reads_text(s));
}

std::string tile_line(const Plan& plan) {
    index_t m = 0, n = 0, k = 0;
    for (const Tile& tile : plan.tiles) {
        if (tile.operand == operand::C) m = std::max(m, tile.rows), n = std::max(n, tile.cols);
    }
    for (const Step& step : plan.steps) k = std::max(k, k_span(plan, step).count);
    return fmt::format("C up to {} x {}, k in steps of up to {}", m, n, k);
}

/// The value of a choice such as "front 0.25"; empty when it was not made.
std::string value_of(const std::vector<std::string>& chosen, const std::string& name) {
    for (const std::string& choice : chosen)
        if (choice.starts_with(name + " ")) return choice.substr(name.size() + 1);
    return "";
}

/// What the choices mean.
std::string how_line(const Plan& plan, const Statistics& s,
                     const std::vector<std::string>& chosen) {
    const std::string front = value_of(chosen, "front");
    if (s.steps[static_cast<std::size_t>(Opcode::mirror)] > 0)
        return "A is filled up on the device; C line by line";
    if (front.empty())
        return plan.steps.size() == 1 ? "one call of the device's own library" : "tile by tile";
    const auto first = [&](const char* name, char end) {
        return split(value_of(chosen, name), end).front();
    };
    const std::string rest = fmt::format("{} strips with all of k", first("strips", ':'));
    std::string text = value_of(chosen, "bands").empty()
                           ? "each device holds its block whole; "
                           : "rows in bands, whose A stays while B and C pass by; ";
    if (front == "0.00") return text + "A comes first, then columns in " + rest;
    const bool rows = !value_of(chosen, "row_panels").empty();
    text += fmt::format("{:.0f} % of its columns grow while A comes, by {} parts of {}",
                        100 * parse_real(front, "front"),
                        first(rows ? "row_panels" : "panels", '*'), rows ? "its rows" : "k");
    if (front != "1.00") text += ", the others follow in " + rest;
    const std::string slices = value_of(chosen, "slices");
    return slices == "1" ? text : text + fmt::format("; k is split in {}, sums are added", slices);
}

std::string chosen_text(const Plan& plan, const std::vector<std::string>& chosen) {
    const Statistics s = statistics(plan);
    const Prediction& p = plan.prediction;
    std::vector<std::string> rest(chosen.begin() + 1, chosen.end());
    std::string text = describe(plan.machine, gemmill::problem_of(plan)) + "\n";
    text += fmt::format("machine {}, policy {}\n\n", plan.machine.name, plan.policy);
    text += fmt::format("  chosen   {} of {} allowed\n           {}\n", chosen.front(),
                        plan.devices.size(), join(rest, ", "));
    text += fmt::format("  how      {}\n", how_line(plan, s, chosen));
    text += fmt::format("  time     {} predicted; no plan can take less than {}\n",
                        human_seconds(p.seconds), human_seconds(p.bound_seconds));
    text += fmt::format("  tiles    {}\n", tile_line(plan));
    text += fmt::format("  bytes    {}\n  C        {}\n", bytes_lines(s), about_c(plan, s));
    return text;
}

}  // namespace

std::string explanation(const MadePlan& made) {
    const std::vector<Tried> tried = chosen_first(made);
    const std::vector<std::string> chosen = choices(tried.front().what);
    Table table;
    table.row({"plan", "predicted", "longer by", "steps"});
    for (std::size_t i = 0; i < tried.size(); ++i)
        table.row({i == 0 ? "chosen" : differences(tried[i].what, chosen),
                   human_seconds(tried[i].seconds),
                   fmt::format("{:.1f} %", 100 * (relative(tried[i], tried[0]) - 1)),
                   std::to_string(tried[i].steps)});
    return fmt::format(
        "{}\nPlans tried: {}. The chosen one, then the fastest; of the others what differs.\n{}",
        chosen_text(made.plan, chosen), tried.size(), table.text());
}

Json explanation_json(const MadePlan& made) {
    const std::vector<Tried> tried = chosen_first(made);
    Json json{{"chosen", tried.front().what}};
    for (const Tried& one : tried)
        json["tried"].push_back({{"what", one.what},
                                 {"seconds", one.seconds},
                                 {"relative", relative(one, tried.front())},
                                 {"steps", one.steps}});
    return json;
}

}  // namespace gemmill::command
