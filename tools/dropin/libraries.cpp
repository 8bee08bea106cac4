// SPDX-License-Identifier: Apache-2.0
#include "dropin/libraries.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

/// Of an ELF file of 64 bits: whether it names a loader, who alone preloads.
bool has_loader(const std::string& text) {
    Elf64_Ehdr head{};
    if (text.size() < sizeof head) return true;
    std::memcpy(&head, text.data(), sizeof head);
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part{};
        const std::size_t at = head.e_phoff + i * sizeof part;
        if (at + sizeof part > text.size()) return true;
        std::memcpy(&part, text.data() + at, sizeof part);
        if (part.p_type == PT_INTERP) return true;
    }
    return false;
}

bool is_elf(const std::string& text) {
    return text.starts_with(ELFMAG) && text.size() > EI_CLASS && text[EI_CLASS] == ELFCLASS64;
}

/// Whether it runs with the rights of its owner or group, and these are not the user's own.
bool changes_rights(const std::string& file) {
    struct stat what {};
    if (::stat(file.c_str(), &what) != 0) return false;
    return ((what.st_mode & S_ISUID) != 0 && what.st_uid != ::getuid()) ||
           ((what.st_mode & S_ISGID) != 0 && what.st_gid != ::getgid());
}

/// Whether the file of a program has one of these names in it.
bool names_any(const std::string& program, std::initializer_list<const char*> names) {
    try {
        const std::string text = read_file(found_in_path(program));
        return std::ranges::any_of(
            names, [&](const char* name) { return text.find(name) != std::string::npos; });
    } catch (const Error&) {  // no such program: who runs it will say so
        return false;
    }
}

}  // namespace

std::string dropin_library(bool wide) {
    return beside(wide ? "libgemmill_blas64.so" : "libgemmill_blas.so").string();
}

std::string scalapack_library() { return beside("libgemmill_scalapack.so"); }

std::string dropin_folder(bool wide) {
    const char* const name = wide ? "gemmill/libblas64.so.3" : "gemmill/libblas.so.3";
    return beside(name).parent_path().string();
}

bool is_wide(const std::string& program) {
    return names_any(program, {"libblas64.so", "libopenblas64"});
}

bool uses_scalapack(const std::string& program) { return names_any(program, {"libscalapack"}); }

std::string why_not_preloaded(const std::string& program) {
    try {
        const std::string file = found_in_path(program), text = read_file(file);
        if (is_elf(text) && !has_loader(text)) return "it is linked statically";
        if (changes_rights(file)) return "it runs with the rights of its owner or group";
    } catch (const Error&) {  // no such program: who runs it will say so
    }
    return "";
}

}  // namespace gemmill::command
