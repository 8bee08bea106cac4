// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "backend/gpu/devices.hpp"
#include "base/text.hpp"
#include "gemmill/error.hpp"
#include "model/engine.hpp"

namespace gemmill::command {
namespace {

double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

bool terminal() { return ::isatty(STDERR_FILENO) != 0; }

/// Columns that a text takes on the screen: characters of UTF-8, not bytes.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Error about_flag(std::string_view flag, const Error& error) {
    std::string text = error.text();
    // The library names the option, which is the flag without its dashes.
    const std::string option = std::string(flag.substr(flag.find_first_not_of('-'))) + ": ";
    if (text.starts_with(option)) text.erase(0, option.size());
    return {error.code(), fmt::format("{}: {}", flag, text), error.condition()};
}

void require_valid(const Plan& plan, const std::string& what) {
    const std::vector<std::string> faults = validate(plan);
    if (faults.empty()) return;
    throw Error(Code::invalid_plan,
                fmt::format("{}: {} faults: {}", what, faults.size(), first_of(faults)));
}

Plan saved_plan(const std::string& path) {
    return named("--plan", [&] {
        Plan plan = parse_plan(read_file(path));
        require_valid(plan, path);
        plan.prediction = predict(plan, simulate(plan));
        return plan;
    });
}

bool wants_drawing(const CallFlags& flags) {
    return !flags.svg.empty() || !flags.html.empty() || !flags.trace.empty();
}

void draw(const CallFlags& flags, const Plan& plan, const Timeline& timeline) {
    const auto write = [&](const std::string& path, const char* flag, auto picture) {
        if (path.empty()) return;
        named(flag, [&] { write_file(path, picture(plan, timeline)); });
        say("wrote " + path);
    };
    write(flags.svg, "--svg", draw_svg);
    write(flags.html, "--html", draw_html);
    write(flags.trace, "--trace", chrome_trace);
}

index_t parse_at_least(const std::string& text, std::string_view flag, index_t least) {
    const index_t value = parse_integer(text, flag);
    require(value >= least, Code::bad_argument, "",
            fmt::format("{}: {} is less than {}", flag, value, least));
    return value;
}

index_t parse_between(const std::string& text, std::string_view flag, index_t least, index_t most) {
    const index_t value = parse_at_least(text, flag, least);
    require(value <= most, Code::bad_argument, "",
            fmt::format("{}: {} is more than {}", flag, value, most));
    return value;
}

int gpu_of(const std::string& devices) {
    require(devices.starts_with("cuda:"), Code::bad_argument, "cuda:N",
            fmt::format("--devices: {}", shown(devices)));
    constexpr int any = 1 << 20;
    const std::vector<GpuShare> gpus = named("--devices", [&] { return parse_gpus(devices, any); });
    require(gpus.size() == 1 && gpus[0].count == 1, Code::bad_argument, "cuda:N",
            fmt::format("--devices: {} is not one whole GPU", shown(devices)));
    return gpus[0].gpu;
}

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

Stopwatch::Stopwatch() : start_(now()) {}
double Stopwatch::seconds() const { return now() - start_; }

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

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

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, Code::io, "",
            fmt::format("--out: cannot make '{}': {}", folder, error.message()));
}

}  // namespace gemmill::command
