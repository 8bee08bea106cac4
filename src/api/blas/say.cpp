// SPDX-License-Identifier: Apache-2.0
#include "api/blas/say.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/environment.hpp"
#include "gemmill/error.hpp"

namespace gemmill::blas {

void say(std::string_view text) noexcept {
    // In one piece, so that lines of several processes do not mix; nothing is allocated.
    char end = '\n';
    const std::array<iovec, 2> parts{{{const_cast<char*>(text.data()), text.size()}, {&end, 1}}};
    [[maybe_unused]] const auto written =
        ::writev(STDERR_FILENO, parts.data(), static_cast<int>(parts.size()));
}

void say_to(const std::string& report, std::string_view text) {
    if (report == "1" || report == "on") return say(text);
    try {
        append_file(report, std::string(text) + "\n");
    } catch (const Error& error) {
        say("gemmill: no report: " + error.text());
    }
}

void end_program(std::string_view text) noexcept {
    say(text);
    std::abort();
}

}  // namespace gemmill::blas
