// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "api/state.hpp"
#include "base/routine.hpp"
#include "base/text.hpp"
#include "exec/run.hpp"
#include "gemmill/error.hpp"
#include "model/engine.hpp"
#include "schedule/recipe/rerun.hpp"
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
    const double predicted = report.plan.prediction.seconds, cpu = cpu_part(report.plan);
    std::string line =
        fmt::format("gemmill: {}{} {} x {} x {}, {} steps: {} ({}), predicted {} ({:+.0f} %)",
                    letter_of(p.type), name_of(p.routine), p.m, p.n, p.k, report.plan.steps.size(),
                    human_seconds(report.seconds), human_flops(flops_of(p) / report.seconds),
                    human_seconds(predicted), 100 * (predicted / report.seconds - 1));
    if (cpu > 0) line += fmt::format(", {:.1f} % by the CPU", 100 * cpu);
    if (report.model_ratio > 0)
        line += fmt::format(", policy {}, calls like it took {:.2f} x what was predicted",
                            report.plan.policy, report.model_ratio);
    return line;
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

/// One call, as all parts of a run know it.
struct Call {
    Context::State& state;
    const Problem& problem;
    const Binding& binding;
    const Watchers& watchers;
    double plan_seconds = 0;
};

void report(const Call& call, const Plan& plan, const Timeline& timeline, double seconds) {
    tell(call.watchers, {call.problem, plan, timeline, seconds, call.plan_seconds,
                         call.state.chooses(plan) ? call.state.trust.ratio(call.problem) : 0});
}

/// Decides again while it runs, with the sizes of tiles of a plan. What was done is reported.
void run_dynamic(const Call& call, const Plan& plan, std::string_view policy) {
    const Options& options = call.state.options;
    Rerun again = rerun_of(plan, call.problem, policy, call.state.ratios.part_for(call.problem));
    if (options.queues > 0) again.options.streams = static_cast<int>(options.queues);
    const auto start = std::chrono::steady_clock::now();
    DynamicRun done = schedule_on_backend(again.frame, again.tasks, again.options,
                                          *call.state.backend, call.binding, again.deal);
    const double seconds = since(start);
    call.state.contribution.add(done.plan);
    call.state.ratios.note(call.problem, shared_run(done.plan, done.timeline, seconds));
    if (!call.watchers.any()) return;
    done.plan.prediction = predict(done.plan, simulate(done.plan));
    report(call, done.plan, done.timeline, seconds);
}

/// Runs a plan; times are asked for only when somebody wants them.
void run_plan(const Call& call, const Plan& plan) {
    if (!call.watchers.any()) {
        run_untimed(plan, *call.state.backend, call.binding);
        call.state.contribution.add(plan);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    const Timeline timeline = run(plan, *call.state.backend, call.binding);
    call.state.contribution.add(plan);
    report(call, plan, timeline, since(start));
}

void run_as(const Call& call, const Plan& plan, std::string_view policy) {
    if (plan.steps.empty() || !decides_again(policy))
        run_plan(call, plan);
    else
        run_dynamic(call, plan, policy);
}

/// Too little memory shows before the first step. Copies of what is kept go first; then a smaller
/// plan may do. Where the second or third does not, it is not the plan that lacks memory.
void run_smaller_too(Call& call, std::shared_ptr<const Plan> plan, int tries) {
    for (;; --tries) {
        try {
            const auto start = std::chrono::steady_clock::now();
            run_as(call, *plan, call.state.options.policy);
            if (call.state.may_search_again(*plan))
                call.state.plans.note(call.problem, *plan, since(start));
            return;
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory || tries == 0) throw;
        }
        if (!call.state.kept.give_up())
            plan = call.state.plan_smaller(call.problem, *plan, &call.plan_seconds);
    }
}

/// One of the calls that policy auto has a choice for. Beside others a call tells nothing of the
/// model.
class Running {
  public:
    explicit Running(std::atomic<int>& count) : count_(count) { alone_ = ++count_ == 1; }
    ~Running() { --count_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    bool alone() const { return alone_ && count_ == 1; }

  private:
    std::atomic<int>& count_;
    bool alone_ = false;
};

/// Policy auto. Where a way that decides again finds too little memory the static plan is run.
void run_chosen(Call& call, const std::shared_ptr<const Plan>& plan, int tries) {
    Context::State& state = call.state;
    const Running running(state.running);
    Way way = state.trust.choose(call.problem);
    auto start = std::chrono::steady_clock::now();
    try {
        if (way != Way::fixed) {
            const auto scheduled = state.scheduled_plan(call.problem, &call.plan_seconds);
            start = std::chrono::steady_clock::now();
            run_as(call, *scheduled, way == Way::tail ? "tail" : "dynamic");
        }
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) throw;
        way = Way::fixed;
        start = std::chrono::steady_clock::now();
    }
    if (way == Way::fixed) run_smaller_too(call, plan, tries);
    if (running.alone())
        state.trust.note(call.problem, way, since(start), plan->prediction.seconds);
}

/// So often a smaller plan is tried where memory is short.
constexpr int usual_tries = 4;

void run_bound(Context::State& state, const Problem& problem, const Binding& binding, int tries) {
    const Watchers watchers = watchers_of(state);
    if (!watchers.trace.empty()) write_trace(watchers.trace, "");  // fails before C is touched
    Call call{state, problem, binding, watchers};
    if (state.gpus != nullptr) state.gpus->load(problem.type);
    const auto plan = state.plan_of_call(problem, &call.plan_seconds);
    if (state.chooses(*plan))
        run_chosen(call, plan, tries);
    else
        run_smaller_too(call, plan, tries);
}

/// False where no copies are used, or where memory is too short for them.
bool run_with_kept(Context::State& state, Problem problem, Binding binding) {
    const Kept::Held held =
        state.kept.use(*state.backend, state.options.device_memory > 0, problem, binding);
    if (held.empty()) return false;
    try {
        run_bound(state, problem, binding, 0);
        return true;
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) throw;
    }
    state.kept.give_up();
    return false;
}

}  // namespace

void run_problem(Context::State& state, const Problem& problem, const Binding& binding) {
    if (!state.kept.empty() && run_with_kept(state, problem, binding)) return;
    run_bound(state, problem, binding, usual_tries);
}

}  // namespace gemmill
