// SPDX-License-Identifier: Apache-2.0
#include "plans/make.hpp"

#include <fmt/format.h>

#include "api/plans/plan_problem.hpp"
#include "base/text.hpp"
#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "command/values.hpp"
#include "model/engine.hpp"

namespace gemmill::command {

MadePlan plan_of(const CallFlags& flags) {
    Options options = options_of(flags);
    const Machine machine = flags.machine.empty() && !options.machine.empty()
                                ? load_machine(options.machine)
                                : named("--machine", [&] { return machine_named(flags.machine); });
    // GEMMILL_DEVICES speaks of devices that can be opened here.
    if (source_of(flags, "devices").starts_with("GEMMILL_")) options.devices = "auto";
    const Problem problem = problem_of(flags, machine);
    const Progress progress("planning");
    const Stopwatch watch;
    MadePlan made;
    made.plan =
        sourced(flags, [&] { return plan_problem(problem, machine, options, &made.tried); });
    made.seconds = watch.seconds();
    return made;
}

void require_valid(const Plan& plan, const std::string& what) {
    const std::vector<std::string> faults = validate(plan);
    if (faults.empty()) return;
    throw Error(Code::invalid_plan,
                fmt::format("{}: {} faults: {}", what, faults.size(), first_of(faults)));
}

Plan saved_plan(const std::string& path) {
    return named("--plan", [&] {
        Plan plan = parse_plan(read_file(path));
        require_valid(plan, path);
        plan.prediction = predict(plan, simulate(plan));
        return plan;
    });
}

bool wants_drawing(const CallFlags& flags) {
    return !flags.svg.empty() || !flags.html.empty() || !flags.trace.empty();
}

void draw(const CallFlags& flags, const Plan& plan, const Timeline& timeline) {
    const auto write = [&](const std::string& path, const char* flag, auto picture) {
        if (path.empty()) return;
        named(flag, [&] { write_file(path, picture(plan, timeline)); });
        say("wrote " + path);
    };
    write(flags.svg, "--svg", draw_svg);
    write(flags.html, "--html", draw_html);
    write(flags.trace, "--trace", chrome_trace);
}

}  // namespace gemmill::command
