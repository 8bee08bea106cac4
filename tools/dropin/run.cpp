// SPDX-License-Identifier: Apache-2.0
// gemmill run: a program under the drop-in.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/environment.hpp"
#include "command/subcommands.hpp"
#include "dropin/libraries.hpp"
#include "gemmill/error.hpp"
#include "gemmill/options.hpp"
#include "kernel/cpu/host/host_library.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  gemmill run -- python3 model.py\n"
    "  gemmill run --report calls.txt -- Rscript fit.R\n"
    "  gemmill run --quiet -- ./solver input      (no report)\n"
    "  gemmill run --devices cuda:0 -- octave script.m\n"
    "  mpirun -n 4 gemmill run --quiet -- ./solver     (a program of ScaLAPACK: its p?gemm too)\n"
    "\nThe program's exit code is returned. At exit it says on standard error which routines of\n"
    "level-3 BLAS it called, where they ran, and what a GPU would have gained; or that none\n"
    "arrived, and why. Debian's numpy and the wheels from PyPI are both reached.";

struct RunFlags {
    std::vector<std::string> program;
    std::string report = "1", devices;
    bool quiet = false, wide = false;
};

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

void preload(const std::string& library) {
    const char* const others = std::getenv("LD_PRELOAD");
    const bool some = others != nullptr && *others != '\0';
    set("LD_PRELOAD", some ? library + ":" + others : library);
}

/// Where it was built; a program over ranks runs without it too.
void preload_scalapack() {
    try {
        preload(scalapack_library());
    } catch (const Error&) {
    }
}

/// What OpenBLAS is to be told before it is loaded, when it does not know this CPU.
void choose_core() {
    try {
        open_host_blas("");
        if (!host_library().core.empty())
            ::setenv("OPENBLAS_CORETYPE", host_library().core.c_str(), 0);
    } catch (const Error&) {  // no OpenBLAS: nothing to tell it
    }
}

/// The program will say what it called; what cannot say anything is told of here.
void ask_for_report(const RunFlags& flags) {
    set("GEMMILL_REPORT", flags.report);
    set(run_variable, std::to_string(::getpid()));
    const std::string& program = flags.program.front();
    if (const std::string why = why_not_preloaded(program); !why.empty())
        fmt::print(stderr, "gemmill: {}: its BLAS cannot be reached: {}\n", program, why);
}

int run(const RunFlags& flags) {
    preload(dropin_library(flags.wide || is_wide(flags.program.front())));
    if (uses_scalapack(flags.program.front())) preload_scalapack();
    choose_core();
    if (!flags.quiet) ask_for_report(flags);
    if (!flags.devices.empty()) set("GEMMILL_DEVICES", flags.devices);
    Options::from_environment();  // a fault in it is better said here
    std::vector<char*> arguments;
    for (const std::string& word : flags.program)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    throw Error(Code::io,
                fmt::format("cannot run '{}': {}", flags.program.front(), std::strerror(errno)));
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("run", "Run a program with its level-3 BLAS calls here");
    sub->footer(footer);
    const auto flags = std::make_shared<RunFlags>();
    sub->add_option("program", flags->program, "the program and its arguments, after --")
        ->required();
    CLI::Option* report =
        sub->add_option("--report", flags->report, "file to add the report to, instead of stderr");
    sub->add_flag("--quiet", flags->quiet, "no report")->excludes(report);
    sub->add_option("--devices", flags->devices, "as GEMMILL_DEVICES");
    sub->add_flag("--ilp64", flags->wide,
                  "the program's BLAS has integers of 64 bits; found out where it is linked so");
    sub->callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace gemmill::command
