// SPDX-License-Identifier: Apache-2.0
#include "fresh.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "planner/planner.hpp"

namespace bench {
namespace {

using gemmill::index_t;

/// Seconds: passed, of the processor, to read the machine.
using Sample = std::array<double, 3>;

Sample start_process(index_t n) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = fmt::format("'{}' {} {}", self, first_flag, n);
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
    Sample sample{};
    const int read = std::fscanf(pipe, "%lf %lf %lf", &sample[0], &sample[1], &sample[2]);
    if (::pclose(pipe) != 0 || read != 3) throw std::runtime_error("failed: " + command);
    return sample;
}

Sample median_sample(index_t n, int processes) {
    std::array<std::vector<double>, 3> all;
    for (int i = 0; i < processes; ++i) {
        const Sample sample = start_process(n);
        for (std::size_t part = 0; part < all.size(); ++part) all[part].push_back(sample[part]);
    }
    return {median(all[0]), median(all[1]), median(all[2])};
}

}  // namespace

void print_first(index_t n) {
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    const auto start = Clock::now();
    const gemmill::Machine machine = gemmill::load_machine("hgx-a100-8");
    gemmill::Problem problem;
    problem.m = problem.n = problem.k = n;
    problem.alpha = problem.beta = gemmill::Factor::general;
    const auto loaded = Clock::now();
    const std::clock_t processor = std::clock();
    const gemmill::Plan plan = gemmill::make_plan(problem, machine, {});
    const std::clock_t used = std::clock() - processor;
    const auto end = Clock::now();
    if (!gemmill::validate(plan).empty()) throw std::logic_error("the plan is not valid");
    fmt::print("{} {} {}\n", Seconds(end - loaded).count(),
               static_cast<double>(used) / CLOCKS_PER_SEC, Seconds(loaded - start).count());
}

nlohmann::json fresh(const Settings& settings) {
    struct Case {
        index_t n;
        double most;  // milliseconds
    };
    nlohmann::json results = nlohmann::json::array();
    fmt::print("\n{:<28} {:>6} {:>8} {:>13} {:>8} {:>12}\n", "first plan of a process, ms", "n",
               "passed", "of processor", "allowed", "read machine");
    for (const Case& c : {Case{16384, 20}, Case{32768, 30}}) {
        const Sample s = median_sample(c.n, settings.quick ? 1 : 11);
        fmt::print("{:<28} {:>6} {:>8.1f} {:>13.1f} {:>8.0f} {:>12.1f}\n", "hgx-a100-8, 8 GPUs",
                   c.n, 1e3 * s[0], 1e3 * s[1], c.most, 1e3 * s[2]);
        results.push_back({{"name", "first_plan"},
                           {"machine", "hgx-a100-8"},
                           {"n", c.n},
                           {"seconds", s[0]},
                           {"processor_seconds", s[1]},
                           {"machine_seconds", s[2]},
                           {"allowed_seconds", 1e-3 * c.most}});
    }
    return results;
}

}  // namespace bench
