// SPDX-License-Identifier: Apache-2.0
// The gemmill command: parses, runs one subcommand, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/text.hpp"
#include "command/console.hpp"
#include "command/flags.hpp"
#include "command/subcommands.hpp"
#include "gemmill/version.hpp"
#include "ranks_program.hpp"

namespace gemmill::command {
namespace {

constexpr const char* about =
    "Dense matrix products on everything a machine has: plan, simulate, run and draw them.";
constexpr const char* footer =
    "Examples:\n"
    "  gemmill demo --out out\n"
    "  gemmill gemm --m 2000 --devices cpu:4 --check\n"
    "  gemmill simulate --machine hgx-a100-8 --m 16384 --at h,h,0\n"
    "  gemmill plan --machine h200 --m 32768 --cap 4GiB --check --out big.plan\n"
    "  gemmill machine show summit-node\n"
    "  gemmill run -- python3 model.py\n"
    "  mpirun -n 6 gemmill gemm --grid 2x3 --m 4000 --check   (--help: with --grid)\n"
    "\nExit codes: 0 ok, 1 a failed check or an invalid plan, 2 bad usage or input.";

/// Help without "TEXT" and "Excludes" behind every name.
class PlainHelp : public CLI::Formatter {
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_items_expected_max() == 0 || option->get_positional() ? "" : " X";
    }
};

int report(const std::string& text, int code) {
    say("gemmill: " + text);
    return code;
}

int code_of(Code code) {
    const bool ran =
        code == Code::invalid_plan || code == Code::failed_step || code == Code::internal;
    return ran ? failed : bad_input;
}

int report(const Error& error) {
    const std::string needs =
        error.condition().empty() ? "" : fmt::format(" (needs {})", error.condition());
    return report(error.text() + needs, code_of(error.code()));
}

int run(const Action& action) {
    try {
        const int code = action();
        flush_output();
        return code;
    } catch (const Error& error) {
        return report(sourced_error({}, error));
    } catch (const std::bad_alloc&) {
        return report("out of memory", bad_input);
    } catch (const std::length_error&) {
        return report("out of memory", bad_input);
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) != 0)
            return report("cannot write standard output: " + error.code().message(), bad_input);
        return report(fmt::format("internal error: {}", error.what()), failed);
    } catch (const std::exception& error) {
        return report(fmt::format("internal error: {}", error.what()), failed);
    }
}

/// A word that is unknown says more than what is missing without it.
std::string reason(const CLI::App& app, const CLI::ParseError& error) {
    constexpr int longest = 300;
    constexpr std::string_view no_value = ": 1 required TEXT missing";
    const std::vector<std::string> rest = app.remaining(true);
    const int code = error.get_exit_code();
    const bool unknown = code == static_cast<int>(CLI::ExitCodes::RequiredError) ||
                         code == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (unknown && !rest.empty()) return "unknown argument " + shown(rest.front());
    const std::string quoted = shown(error.what(), longest), text(quoted, 1, quoted.size() - 2);
    if (!text.ends_with(no_value)) return text;
    return text.substr(0, text.size() - no_value.size()) + ": its value is missing";
}

/// Its arguments are those of another program.
bool is_program(const CLI::App& app) { return app.get_name() == "run"; }

/// An empty value, such as that of an unset variable of a script, is not a value that is left out.
void require_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
        for (const std::string& value : option->results())
            require(!value.empty() || is_program(app), Code::bad_argument, "",
                    fmt::format("{}: its value is empty", option->get_name()));
    for (const CLI::App* sub : app.get_subcommands()) require_values(*sub);
}

/// --help and --version.
int print_text(const CLI::App& app, const CLI::ParseError& error) {
    std::ostringstream text;
    app.exit(error, text, text);
    fmt::print("{}", text.str());
    return ok;
}

int parse_and_run(int argc, char** argv) {
    CLI::App app(about, "gemmill");
    app.footer(footer);
    app.set_version_flag("--version", std::string("gemmill ") + GEMMILL_VERSION);
    app.require_subcommand(1);
    app.formatter(std::make_shared<PlainHelp>());
    app.get_formatter()->column_width(20);
    Action action;
    for (const auto add : {add_demo, add_gemm, add_simulate, add_plan, add_machine, add_reproduce,
                           add_bench, add_tune, add_sweep, add_run, add_blas, add_info})
        add(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return run([&] { return print_text(app, error); });
        return report(fmt::format("{}; see --help", reason(app, error)), bad_input);
    }
    return run([&] {
        require_values(app);
        return action();
    });
}

}  // namespace
}  // namespace gemmill::command

int main(int argc, char** argv) {
    using namespace gemmill::command;
    return is_for_ranks(argc, argv) ? become_ranks_program(argv) : parse_and_run(argc, argv);
}
