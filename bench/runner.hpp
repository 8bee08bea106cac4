// SPDX-License-Identifier: Apache-2.0
// How everything is timed: warm, several rounds, the contenders in turn within each round, medians.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

struct Settings {
    int rounds = 41;
    double least_seconds = 0.02;  ///< of one timing; short calls are repeated within it
    std::string out;              ///< JSON file; empty: none
    bool quick = false;           ///< smallest cases, few rounds: does it still run and check?
};
/// --quick and --out FILE; prints help and exits on anything else.
Settings parse(int argc, char** argv);

/// n x n numbers from -1 to 1.
std::vector<double> random_matrix(int n, unsigned seed);

/// The upper one of the two in the middle when there are two; there must be a value.
double median(std::vector<double> values);

struct Contender {
    std::string name;
    std::function<void()> call;
};

/// Median seconds of one call of each contender. All run in every round, in turn, so that they see
/// the same machine.
std::vector<double> median_seconds(const Settings& settings, const std::vector<Contender>& all);

/// Seconds of two contenders, and the median over the rounds of second / first. Both run back to
/// back in a round, so that what slows the machine for longer slows both.
struct Pair {
    double first = 0, second = 0, ratio = 0;
};
Pair compare(const Settings& settings, const Contender& first, const Contender& second);

/// Writes the results with date and host when settings.out is set.
void write(const Settings& settings, const nlohmann::json& results);

}  // namespace bench
