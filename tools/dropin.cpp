// SPDX-License-Identifier: Apache-2.0
#include "dropin.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill::command {
namespace {

namespace fs = std::filesystem;

/// The first of the folders of libraries beside this command that has the file.
fs::path beside(const fs::path& name) {
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : {"../lib", "../" GEMMILL_LIBDIR}) {
        const fs::path path = here / folder / name;
        if (fs::exists(path, error))
            return fs::weakly_canonical(path.parent_path()) / path.filename();
    }
    throw Error(Code::io, fmt::format("no {} beside this command", name.string()),
                "an installed or built drop-in");
}

/// The file that a shell would run; empty when there is none.
std::string found_in_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return program;
    const char* const path = std::getenv("PATH");
    for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
        std::error_code error;
        const std::string file = folder + "/" + program;
        if (fs::is_regular_file(file, error)) return file;
    }
    return "";
}

}  // namespace

std::string dropin_library(bool wide) {
    return beside(wide ? "libgemmill_blas64.so" : "libgemmill_blas.so").string();
}

std::string dropin_folder() { return beside("gemmill/libblas.so.3").parent_path().string(); }

bool is_wide(const std::string& program) {
    try {
        const std::string text = read_file(found_in_path(program));
        return text.find("libblas64.so") != std::string::npos ||
               text.find("libopenblas64") != std::string::npos;
    } catch (const Error&) {  // no such program: who runs it will say so
        return false;
    }
}

}  // namespace gemmill::command
