// SPDX-License-Identifier: Apache-2.0
// What the subcommands share: their entry points, the flags that describe a call, tables.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmill/error.hpp"
#include "gemmill/machine.hpp"
#include "gemmill/options.hpp"
#include "gemmill/plan.hpp"
#include "planner/planner.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gemmill::command {

/// Exit codes.
inline constexpr int ok = 0, failed = 1, bad_input = 2;

/// What a subcommand does once its arguments are parsed; returns the exit code.
using Action = std::function<int()>;

void add_machine(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_gemm(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_blas(CLI::App& app, Action& action);
/// A subcommand of bench.
void add_bench_batch(CLI::App& parent, Action& action);
void add_tune(CLI::App& app, Action& action);

/// The flags that describe one call, as text until they are needed.
struct CallFlags {
    std::string machine;
    std::string routine = "gemm", type = "d", trans = "nn", at = "h";
    std::string side = "left", uplo = "lower", diag = "nonunit";
    std::string m, n, k, alpha = "1", beta = "1";
    std::string devices, policy, cap, tile, search;
    std::vector<std::string> set;
    std::string plan;  ///< file of a saved plan, instead of the above
    bool json = false;
    std::string svg, html, trace;
};
struct CallChoice {
    bool machine = true;     ///< --machine
    bool saved_plan = true;  ///< --plan
};
/// Adds them to a subcommand.
void add_call_flags(CLI::App& app, CallFlags& flags, const CallChoice& choice);

/// Environment, then --set, then the flags of their own. Throws Error naming the flag or variable.
Options options_of(const CallFlags& flags);
/// Where the value of an option comes from: "--tile", "--set" or "GEMMILL_TILE"; empty: its
/// default.
std::string source_of(const CallFlags& flags, std::string_view option);
/// An error that begins with the name of an option, told of where the option's value comes from.
Error sourced_error(const CallFlags& flags, const Error& error);
/// Runs f; an Error in it is told so.
template <class F>
auto sourced(const CallFlags& flags, F f) {
    try {
        return f();
    } catch (const Error& error) {
        throw sourced_error(flags, error);
    }
}
/// A catalogue name, file or line; "cpu:N"; or this host when it is empty.
Machine machine_named(const std::string& name);
/// Flags of one call on a machine. Throws Error naming the flag.
Problem problem_of(const CallFlags& flags, const Machine& machine);
Type element_type(const CallFlags& flags);
/// "1.5", or "1.5,-2" for complex types.
Scalar scalar_of(const std::string& text, std::string_view flag, Type type);

/// A plan, and what it took to make.
struct MadePlan {
    Plan plan;
    double seconds = 0;
    std::vector<Tried> tried;  ///< every plan that was made on the way
};
/// Makes it from the flags.
MadePlan plan_of(const CallFlags& flags);
/// Reads --plan; the prediction is made again. Throws Error(invalid_plan) when it has faults.
Plan saved_plan(const std::string& path);
/// Throws Error(invalid_plan) with the first faults.
void require_valid(const Plan& plan, const std::string& what);

/// --svg, --html and --trace of a timeline.
bool wants_drawing(const CallFlags& flags);
void draw(const CallFlags& flags, const Plan& plan, const Timeline& timeline);

/// The error with "flag: " before its text.
Error about_flag(std::string_view flag, const Error& error);
/// Runs f; an Error in it is said to be about the flag.
template <class F>
auto named(std::string_view flag, F f) {
    try {
        return f();
    } catch (const Error& error) {
        throw about_flag(flag, error);
    }
}

/// A whole number of at least `least`; `flag` names it in the Error.
index_t parse_at_least(const std::string& text, std::string_view flag, index_t least);
/// One from `least` to `most`.
index_t parse_between(const std::string& text, std::string_view flag, index_t least, index_t most);
/// The number of the one GPU that --devices names.
int gpu_of(const std::string& devices);

/// Rows of text in aligned columns: the first to the left, the others to the right.
class Table {
  public:
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text(std::string_view indent = "  ") const;

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// Lines of at most 80 columns, broken at blanks.
std::string wrapped(std::string_view text);
/// "85 %".
std::string percent(double share);
/// Seconds from now on.
class Stopwatch {
  public:
    Stopwatch();
    double seconds() const;

  private:
    double start_;
};

/// A pause before a call is timed, so that nobody pays for the one before: cuBLASXt goes on copying
/// for some 15 ms after it has returned, which halves the speed of another's copies.
void rest();

/// A line on stderr: it may get lost, the command goes on.
void say(const std::string& line);
/// What was printed so far is written. Throws Error(io) when it cannot be.
void flush_output();

/// A line on stderr while something takes its time; only when stderr is a terminal.
class Progress {
  public:
    explicit Progress(const std::string& text);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
};

/// The folder of --out, made when it is missing. Throws Error(io).
void make_folder(const std::string& folder);

}  // namespace gemmill::command
