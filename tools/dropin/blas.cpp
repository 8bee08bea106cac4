// SPDX-License-Identifier: Apache-2.0
// gemmill blas: how programs get the drop-in.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command/subcommands.hpp"
#include "dropin/libraries.hpp"

namespace gemmill::command {
namespace {

constexpr const char* footer =
    "Examples:\n"
    "  LD_PRELOAD=$(gemmill blas --preload) python3 model.py\n"
    "  LD_LIBRARY_PATH=$(gemmill blas --folder) ./solver input\n"
    "  mpirun -n 4 -x LD_PRELOAD=$(gemmill blas --scalapack) ./solver\n"
    "  gemmill blas --alternatives            (lines for the administrator of a Debian system)";

struct BlasFlags {
    bool preload = false, folder = false, alternatives = false, wide = false, scalapack = false;
};

/// Above nothing, below what the system chose: it is used once somebody selects it.
constexpr int priority = 10;

std::string alternatives(const std::string& folder) {
    std::string text = "# as root; it is then in the list of update-alternatives --config\n", undo;
    for (const char* name : {"libblas.so.3", "libblas64.so.3"}) {
        const std::string file = folder + "/" + name;
        if (!std::filesystem::exists(file)) continue;
        const std::string master = fmt::format("{}-{}", name, GEMMILL_TRIPLET);
        text += fmt::format("update-alternatives --install /usr/lib/{}/{} {} {} {}\n",
                            GEMMILL_TRIPLET, name, master, file, priority);
        text += fmt::format("update-alternatives --set {} {}\n", master, file);
        undo += fmt::format("update-alternatives --remove {} {}\n", master, file);
    }
    return text + "# and back\n" + undo;
}

int print(const BlasFlags& flags) {
    if (flags.scalapack) {
        fmt::print("{}\n", scalapack_library());
    } else if (flags.preload) {
        fmt::print("{}\n", dropin_library(flags.wide));
    } else if (flags.folder) {
        fmt::print("{}\n", dropin_folder(flags.wide));
    } else if (flags.alternatives) {
        fmt::print("{}", alternatives(dropin_folder(flags.wide)));
    } else {
        fmt::print(
            "one program     gemmill run -- PROGRAM, or LD_PRELOAD={} PROGRAM\n"
            "by folder       LD_LIBRARY_PATH={} PROGRAM\n"
            "all programs    see gemmill blas --alternatives\n",
            dropin_library(flags.wide), dropin_folder(flags.wide));
    }
    return ok;
}

}  // namespace

void add_blas(CLI::App& app, Action& action) {
    CLI::App* sub = app.add_subcommand("blas", "How programs get the drop-in");
    sub->footer(footer);
    const auto flags = std::make_shared<BlasFlags>();
    CLI::Option* preload =
        sub->add_flag("--preload", flags->preload, "the path of the library to preload");
    CLI::Option* folder = sub->add_flag(
        "--folder", flags->folder,
        "the folder that has it as libblas.so.3, and as libblas64.so.3 where it was built beside "
        "an OpenBLAS with integers of 64 bits (libopenblas64-0-pthread)");
    sub->add_flag("--alternatives", flags->alternatives, "lines for Debian's update-alternatives")
        ->excludes(preload)
        ->excludes(folder);
    folder->excludes(preload);
    sub->add_flag("--scalapack", flags->scalapack,
                  "the path of the library with level 3 of PBLAS, to preload under mpirun")
        ->excludes(preload)
        ->excludes(folder);
    sub->add_flag("--ilp64", flags->wide,
                  "the library whose dgemm_ has integers of 64 bits; with --folder, an error when "
                  "libblas64.so.3 is not there");
    sub->callback([flags, &action] { action = [flags] { return print(*flags); }; });
}

}  // namespace gemmill::command
