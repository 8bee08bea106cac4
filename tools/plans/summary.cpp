// SPDX-License-Identifier: Apache-2.0
#include "plans/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/routine.hpp"
#include "base/text.hpp"
#include "command/console.hpp"
#include "matrix/placement.hpp"
#include "plan/text/words.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

using Json = nlohmann::ordered_json;

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

const char* name_of_factor(Factor factor) {
    return factor == Factor::zero ? "zero" : factor == Factor::one ? "one" : "general";
}

std::string trans_of(const Problem& p) {
    std::string text;
    for (const Op op : {p.op_a, p.op_b})
        text += op == Op::NoTrans ? 'n' : op == Op::Trans ? 't' : 'c';
    return text;
}

Json bytes_json(const Bytes& b) {
    return {{"h2d", b.h2d}, {"d2h", b.d2h}, {"d2d", b.d2d}, {"local", b.local}, {"h2h", b.h2h}};
}

Json problem_json(const Plan& plan) {
    const Problem p = gemmill::problem_of(plan);
    Json json{{"routine", name_of(p.routine)},
              {"type", std::string(1, letter_of(p.type))},
              {"trans", trans_of(p)},
              {"m", p.m},
              {"n", p.n},
              {"k", p.k},
              {"alpha", name_of_factor(p.alpha)},
              {"beta", name_of_factor(p.beta)},
              {"at", to_text(plan.machine, p.home)}};
    if (p.routine == Routine::gemm) return json;
    json["side"] = word_of(side_words, p.side == Side::Right);
    json["uplo"] = p.uplo == Uplo::Lower ? "lower" : "upper";
    json["diag"] = word_of(diag_words, p.diag == Diag::Unit);
    return json;
}

const std::string& device_name(const Plan& plan, DeviceId device) {
    return plan.machine.devices[static_cast<std::size_t>(device)].name;
}

std::string bytes_table(const Statistics& s) {
    Table table;
    const auto row = [&](const char* name, const Bytes& b) {
        std::vector<std::string> cells{name};
        for (const std::int64_t bytes : {b.h2d, b.d2h, b.d2d, b.local, b.h2h})
            cells.push_back(human_bytes(static_cast<double>(bytes)));
        table.row(std::move(cells));
    };
    table.row({"bytes", "h2d", "d2h", "d2d", "local", "h2h"});
    row("  moved", s.moved);
    row("  any plan must", s.bound);
    if (s.relayed > 0) row("  relayed", {.h2d = s.relayed});
    return table.text("") + fmt::format("  fetched from home: {}\n", reads_text(s));
}

std::string device_table(const Plan& plan, const Statistics& s) {
    Table table;
    table.row({"device", "busy", "idle", "work", "memory", "of"});
    for (const DeviceId d : plan.devices) {
        const auto i = static_cast<std::size_t>(d);
        const auto m = static_cast<std::size_t>(plan.machine.devices[i].memory);
        const double busy = share(plan.prediction.device_busy[i], plan.prediction.seconds);
        table.row({"  " + device_name(plan, d), percent(busy), percent(1 - busy),
                   percent(share(s.device_flops[i], s.flops)),
                   human_bytes(static_cast<double>(plan.slab[m])),
                   human_bytes(static_cast<double>(plan.limit[m]))});
    }
    return table.text("");
}

std::string step_line(const Plan& plan, const Statistics& s) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < s.steps.size(); ++i)
        if (s.steps[i] > 0)
            words.push_back(fmt::format("{} {}", s.steps[i], name_of(static_cast<Opcode>(i))));
    return fmt::format("{} steps: {}; {} waits", plan.steps.size(), join(words, ", "), s.waits);
}

}  // namespace

std::string describe(const Machine& machine, const Problem& p) {
    std::string flags = trans_of(p);
    if (p.routine != Routine::gemm)
        flags += fmt::format(" {} {} {}", word_of(side_words, p.side == Side::Right),
                             p.uplo == Uplo::Lower ? "lower" : "upper",
                             word_of(diag_words, p.diag == Diag::Unit));
    return fmt::format("{}{} {} {} x {} x {}, A B C at {}", letter_of(p.type), name_of(p.routine),
                       flags, p.m, p.n, p.k, to_text(machine, p.home));
}

std::string reads_text(const Statistics& s) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < s.read.size(); ++i)
        words.push_back(
            fmt::format("{} {}", "ABC"[i], human_bytes(static_cast<double>(s.read[i]))));
    return join(words, ", ");
}

std::string summary(const Plan& plan, double plan_seconds) {
    const Statistics s = statistics(plan);
    const Prediction& p = plan.prediction;
    std::string text = describe(plan.machine, gemmill::problem_of(plan)) + "\n";
    text += fmt::format("machine {}, policy {}", plan.machine.name, plan.policy);
    text += plan_seconds > 0 ? fmt::format(", planned in {}\n", human_seconds(plan_seconds)) : "\n";
    text += fmt::format("predicted {}, {}; bound {}, {} of it reached\n", human_seconds(p.seconds),
                        human_flops(share(flops_of(plan.operands, plan.goal), p.seconds)),
                        human_seconds(p.bound_seconds), percent(share(p.bound_seconds, p.seconds)));
    text += step_line(plan, s) + "\n\n";
    return text + bytes_table(s) + "\n" + device_table(plan, s);
}

nlohmann::ordered_json summary_json(const Plan& plan, double plan_seconds) {
    const Statistics s = statistics(plan);
    const Prediction& p = plan.prediction;
    Json json{
        {"machine", plan.machine.name}, {"policy", plan.policy}, {"problem", problem_json(plan)}};
    json["seconds"] = p.seconds;
    json["tflops"] = share(flops_of(plan.operands, plan.goal), p.seconds) / 1e12;
    json["bound_seconds"] = p.bound_seconds;
    json["bound_share"] = share(p.bound_seconds, p.seconds);
    json["bytes"] = bytes_json(s.moved);
    json["bytes_bound"] = bytes_json(s.bound);
    json["bytes_read"] = {{"A", s.read[0]}, {"B", s.read[1]}, {"C", s.read[2]}};
    json["bytes_relayed"] = s.relayed;
    json["peak_bytes"] = Json::object();
    for (std::size_t m = 0; m < plan.machine.memories.size(); ++m)
        json["peak_bytes"][plan.machine.memories[m].name] = plan.slab[m];
    json["plan_seconds"] = plan_seconds;
    json["steps"] = plan.steps.size();
    json["step_kinds"] = Json::object();
    for (std::size_t i = 0; i < s.steps.size(); ++i)
        if (s.steps[i] > 0) json["step_kinds"][name_of(static_cast<Opcode>(i))] = s.steps[i];
    json["devices"] = Json::array();
    json["devices_used"] = Json::array();
    json["device_busy"] = Json::object();
    for (const DeviceId d : plan.devices) {
        const auto i = static_cast<std::size_t>(d);
        json["devices"].push_back(device_name(plan, d));
        if (s.device_flops[i] > 0) json["devices_used"].push_back(device_name(plan, d));
        json["device_busy"][device_name(plan, d)] = p.device_busy[i];
    }
    return json;
}

}  // namespace gemmill::command
