// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "api/state.hpp"
#include "base/text.hpp"
#include "exec/run.hpp"
#include "plan/access.hpp"

namespace gemmill {
namespace {

/// A % in the name becomes the number of the call.
std::string trace_name(const std::string& name, int call) {
    std::string text = name;
    if (const auto percent = text.find('%'); percent != std::string::npos)
        text.replace(percent, 1, std::to_string(call));
    return text;
}

std::string report_line(const Report& report) {
    const Problem& p = report.plan.problem;
    const double predicted = report.plan.prediction.seconds;
    return fmt::format("gemmill: {}gemm {} x {} x {}, {} steps: {} ({}), predicted {} ({:+.0f} %)",
                       letter_of(p.type), p.m, p.n, p.k, report.plan.steps.size(),
                       human_seconds(report.seconds), human_flops(flops_of(p) / report.seconds),
                       human_seconds(predicted), 100 * (predicted / report.seconds - 1));
}

void tell(Context::State& state, const Report& report, const std::string& trace) {
    if (!trace.empty()) write_file(trace, chrome_trace(report.plan, report.timeline));
    std::function<void(const Report&)> observer;
    std::function<void(std::string_view)> sink;
    {
        const std::lock_guard lock(state.watch_mutex);
        observer = state.observer;
        sink = state.sink;
    }
    if (observer) observer(report);
    if (sink && state.options.verbose) sink(report_line(report));
}

}  // namespace

void run_problem(Context::State& state, const Problem& problem, const Binding& binding) {
    const std::string trace = trace_name(state.options.trace, ++state.calls);
    if (!trace.empty()) write_file(trace, "");  // fails before C is touched, not after
    double plan_seconds = 0;
    const auto plan = state.plan(problem, &plan_seconds);
    const auto start = std::chrono::steady_clock::now();
    const Timeline timeline = run(*plan, *state.backend, binding);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    tell(state, {*plan, timeline, passed.count(), plan_seconds}, trace);
}

}  // namespace gemmill
