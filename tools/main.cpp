// SPDX-License-Identifier: Apache-2.0
// The gemmill command: parses, runs one subcommand, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "common.hpp"
#include "gemmill/version.hpp"

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
    "\nExit codes: 0 ok, 1 a failed check or an invalid plan, 2 bad usage or input.";

/// Help without "TEXT" and "Excludes" behind every name.
class PlainHelp : public CLI::Formatter {
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_items_expected_max() == 0 || option->get_positional() ? "" : " X";
    }
};

int report(const std::string& text, int code) {
    fmt::print(stderr, "gemmill: {}\n", text);
    return code;
}

int code_of(Code code) {
    const bool ran =
        code == Code::invalid_plan || code == Code::failed_step || code == Code::internal;
    return ran ? failed : bad_input;
}

int run(const Action& action) {
    try {
        const int code = action();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            return report("cannot write standard output", bad_input);
        return code;
    } catch (const Error& error) {
        const std::string needs =
            error.condition().empty() ? "" : fmt::format(" (needs {})", error.condition());
        return report(error.text() + needs, code_of(error.code()));
    } catch (const std::bad_alloc&) {
        return report("out of memory", bad_input);
    } catch (const std::exception& error) {
        return report(fmt::format("internal error: {}", error.what()), failed);
    }
}

/// A word that is no subcommand says more than that one is missing.
std::string reason(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> rest = app.remaining(true);
    const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
    return missing && !rest.empty() ? fmt::format("unknown argument '{}'", rest.front())
                                    : error.what();
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
        if (error.get_exit_code() == 0) return app.exit(error);
        return report(fmt::format("{}; see --help", reason(app, error)), bad_input);
    }
    return run(action);
}

}  // namespace
}  // namespace gemmill::command

int main(int argc, char** argv) { return gemmill::command::parse_and_run(argc, argv); }
