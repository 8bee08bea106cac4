// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "api/state.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "exec/run.hpp"
#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "planner/policy.hpp"
#include "schedule/rerun.hpp"
#include "schedule/schedule.hpp"
#include "task/problem.hpp"

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
    const Problem& p = report.problem;
    const double predicted = report.plan.prediction.seconds;
    return fmt::format("gemmill: {}{} {} x {} x {}, {} steps: {} ({}), predicted {} ({:+.0f} %)",
                       letter_of(p.type), name_of(p.routine), p.m, p.n, p.k,
                       report.plan.steps.size(), human_seconds(report.seconds),
                       human_flops(flops_of(p) / report.seconds), human_seconds(predicted),
                       100 * (predicted / report.seconds - 1));
}

/// Who is to be told of a call.
struct Watchers {
    std::function<void(const Report&)> observer;
    std::function<void(std::string_view)> sink;
    std::string trace;

    bool any() const { return observer || sink || !trace.empty(); }
};

Watchers watchers_of(Context::State& state) {
    Watchers watchers;
    watchers.trace = trace_name(state.options.trace, ++state.calls);
    const std::lock_guard lock(state.watch_mutex);
    watchers.observer = state.observer;
    if (state.options.verbose) watchers.sink = state.sink;
    return watchers;
}

void write_trace(const std::string& path, std::string_view text) {
    try {
        write_file(path, text);
    } catch (const Error& error) {
        throw Error(error.code(), "trace: " + error.text());
    }
}

void tell(const Watchers& watchers, const Report& report) {
    if (!watchers.trace.empty())
        write_trace(watchers.trace, chrome_trace(report.plan, report.timeline));
    if (watchers.observer) watchers.observer(report);
    if (watchers.sink) watchers.sink(report_line(report));
}

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Decides again while it runs, with the sizes of tiles of a plan. What was done is reported.
void run_dynamic(Context::State& state, const Problem& problem, const Plan& plan,
                 const Binding& binding, const Watchers& watchers, double plan_seconds) {
    Rerun again = rerun_of(plan, problem);
    if (state.options.queues > 0) again.options.streams = static_cast<int>(state.options.queues);
    const auto start = std::chrono::steady_clock::now();
    DynamicRun done = schedule_on_backend(again.frame, again.tasks, again.options, *state.backend,
                                          binding, again.deal);
    const double seconds = since(start);
    if (!watchers.any()) return;
    done.plan.prediction = predict(done.plan, simulate(done.plan));
    tell(watchers, {problem, done.plan, done.timeline, seconds, plan_seconds});
}

/// Runs a plan; times are asked for only when somebody wants them.
void run_plan(Context::State& state, const Problem& problem, const Plan& plan,
              const Binding& binding, const Watchers& watchers, double plan_seconds) {
    if (!watchers.any()) {
        run_untimed(plan, *state.backend, binding);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    const Timeline timeline = run(plan, *state.backend, binding);
    tell(watchers, {problem, plan, timeline, since(start), plan_seconds});
}

}  // namespace

void run_problem(Context::State& state, const Problem& problem, const Binding& binding) {
    const Watchers watchers = watchers_of(state);
    if (!watchers.trace.empty()) write_trace(watchers.trace, "");  // fails before C is touched
    const bool scheduled = resolve_policy(state.options).scheduled;
    double plan_seconds = 0;
    auto plan = state.plan(problem, &plan_seconds);
    // Too little memory shows before the first step, and then a smaller plan may do. Where the
    // second or third does not, it is not the plan that lacks memory.
    for (int tries = 4;; --tries) {
        try {
            (scheduled && !plan->steps.empty() ? run_dynamic : run_plan)(
                state, problem, *plan, binding, watchers, plan_seconds);
            return;
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory || tries == 0) throw;
        }
        plan = state.plan_smaller(problem, *plan, &plan_seconds);
    }
}

}  // namespace gemmill
