// SPDX-License-Identifier: Apache-2.0
#include "ranks_program.hpp"

#include <unistd.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "command/console.hpp"
#include "command/subcommands.hpp"

namespace gemmill::command {

bool is_for_ranks(int argc, char** argv) {
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    if (words.size() < 3) return false;
    const std::string_view first = words[1];
    if (first == "bench") return std::string_view(words[2]) == "pdgemm";
    if (first != "gemm") return false;
    for (const std::string_view word : words.subspan(2))
        if (word == "--grid" || word.starts_with("--grid=")) return true;
    return false;
}

int become_ranks_program(char** argv) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const std::string program = here / "gemmill-ranks";
    ::execv(program.c_str(), argv);
    say("gemmill: no gemmill-ranks beside this command: it was built without MPI");
    return bad_input;
}

}  // namespace gemmill::command
