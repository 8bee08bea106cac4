// SPDX-License-Identifier: Apache-2.0
#include "command/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "gemmill/error.hpp"

namespace gemmill::command {
namespace {

bool terminal() { return ::isatty(STDERR_FILENO) != 0; }

/// Columns that a text takes on the screen: characters of UTF-8, not bytes.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string Table::text(std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string all;
    for (const auto& row : rows_) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - width_of(row[i]), ' ');
            line += i == 0 ? row[i] + blanks : "  " + blanks + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        all += line + "\n";
    }
    return all;
}

std::string wrapped(std::string_view text) {
    constexpr std::size_t screen = 80;
    std::string all;
    std::size_t column = 0;
    for (const std::string& word : split(text, ' ')) {
        const bool breaks = column > 0 && column + 1 + word.size() > screen;
        if (column > 0) all += breaks ? '\n' : ' ';
        column = (column == 0 || breaks ? 0 : column + 1) + word.size();
        all += word;
    }
    return all;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

void flush_output() {
    errno = 0;
    const bool lost = std::fflush(stdout) != 0;
    require(!lost && std::ferror(stdout) == 0, Code::io, "",
            fmt::format("cannot write standard output{}",
                        errno != 0 ? fmt::format(": {}", std::strerror(errno)) : ""));
}

Progress::Progress(const std::string& text) {
    if (terminal()) std::fputs(fmt::format("\r{} ...", text).c_str(), stderr), std::fflush(stderr);
}
Progress::~Progress() {
    if (terminal()) std::fputs("\r\033[K", stderr);
}

}  // namespace gemmill::command
