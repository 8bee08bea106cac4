// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string_view>

#include "stamp.hpp"

namespace bench {
namespace {

double seconds(const std::function<void()>& call, int repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) call();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return passed.count() / repeats;
}

[[noreturn]] void usage(const char* program, int code) {
    fmt::print(code == 0 ? stdout : stderr,
               "usage: {} [--quick] [--out FILE]\n"
               "  --quick     smallest cases only, few rounds\n"
               "  --out FILE  also write the results as JSON\n",
               program);
    std::exit(code);
}

}  // namespace

std::vector<double> random_matrix(int n, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<double> matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (double& x : matrix) x = values(random);
    return matrix;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Settings parse(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--quick") {
            settings.quick = true;
            settings.rounds = 3;
            settings.least_seconds = 0.001;
        } else if (word == "--out" && i + 1 < argc) {
            settings.out = argv[++i];
        } else {
            usage(argv[0], word == "--help" ? 0 : 2);
        }
    }
    return settings;
}

namespace {

/// Seconds of each contender in each round.
std::vector<std::vector<double>> time_rounds(const Settings& settings,
                                             const std::vector<Contender>& all) {
    std::vector<int> repeats;
    for (const Contender& contender : all) {
        contender.call();
        const double once = seconds(contender.call, 1);
        repeats.push_back(std::max(1, static_cast<int>(settings.least_seconds / once)));
    }
    std::vector<std::vector<double>> times(all.size());
    for (int round = 0; round < settings.rounds; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
            // The order turns from round to round: nobody always runs on the warmer cache.
            const std::size_t who = (i + static_cast<std::size_t>(round)) % all.size();
            times[who].push_back(seconds(all[who].call, repeats[who]));
        }
    return times;
}

}  // namespace

std::vector<double> median_seconds(const Settings& settings, const std::vector<Contender>& all) {
    std::vector<double> medians;
    for (auto& list : time_rounds(settings, all)) medians.push_back(median(std::move(list)));
    return medians;
}

Pair compare(const Settings& settings, const Contender& first, const Contender& second) {
    const auto times = time_rounds(settings, {first, second});
    std::vector<double> ratios;
    for (std::size_t i = 0; i < times[0].size(); ++i) ratios.push_back(times[1][i] / times[0][i]);
    return {median(times[0]), median(times[1]), median(std::move(ratios))};
}

void write(const Settings& settings, const nlohmann::json& results) {
    if (settings.out.empty()) return;
    const nlohmann::json all = {{"context",
                                 {{"date", now()},
                                  {"cpu", cpu_name()},
                                  {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
                                  {"rounds", settings.rounds}}},
                                {"benchmarks", results}};
    std::ofstream file(settings.out);
    file << all.dump(2) << '\n';
    if (!file) {
        fmt::print(stderr, "cannot write '{}'\n", settings.out);
        std::exit(2);
    }
}

}  // namespace bench
