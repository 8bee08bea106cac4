// SPDX-License-Identifier: Apache-2.0
#include "batch/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>

namespace gemmill {
namespace {

constexpr double nanosecond = 1e-9;

double sum_of(const BatchWork& work, const BatchCosts& costs) {
    double sum = 0;
    for (std::size_t i = 0; i < BatchWork::most; ++i) sum += work.counts[i] * costs.each[i];
    return sum * nanosecond;
}

/// What work must have taken beside the traffic, for all to take so long.
double work_seconds(double seconds, double memory) {
    return seconds > memory ? std::sqrt(seconds * seconds - memory * memory) : 0;
}

/// One row of a least-squares problem: counts by what was measured, and what they should sum to.
struct Equation {
    std::array<double, BatchWork::most> x{};
    double y = 0;
};

/// No cost is below 0: one after the other is set to its best, again and again.
std::array<double, BatchWork::most> solve(const std::vector<Equation>& all) {
    constexpr int sweeps = 4000;
    constexpr auto n = BatchWork::most;
    std::array<std::array<double, n>, n> square{};
    std::array<double, n> right{}, costs{};
    for (const Equation& e : all)
        for (std::size_t i = 0; i < n; ++i) {
            right[i] += e.x[i] * e.y;
            for (std::size_t j = 0; j < n; ++j) square[i][j] += e.x[i] * e.x[j];
        }
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t i = 0; i < n; ++i) {
            if (square[i][i] <= 0) continue;
            double rest = right[i];
            for (std::size_t j = 0; j < n; ++j)
                if (j != i) rest -= square[i][j] * costs[j];
            costs[i] = std::max(0.0, rest / square[i][i]);
        }
    return costs;
}

/// Twice as fast where nothing comes from memory.
double memory_seconds(const BatchWork& work, const BatchGpu& gpu) {
    return work.bytes / gpu.memory / (work.bytes < gpu.cache ? 2 : 1);
}

double error_of(const std::vector<MeasuredWork>& measured, const BatchCosts& costs,
                const BatchGpu& gpu) {
    double sum = 0;
    for (const MeasuredWork& m : measured) {
        const double ratio = std::log(seconds_of(m.work, costs, gpu) / m.seconds);
        sum += std::min(ratio * ratio, 0.25);
    }
    return sum;
}

}  // namespace

double seconds_of(const BatchWork& work, const BatchCosts& costs, const BatchGpu& gpu) {
    const double memory = memory_seconds(work, gpu), rest = sum_of(work, costs);
    return costs.start * nanosecond + std::sqrt(memory * memory + rest * rest);
}

BatchCosts fit_costs(const std::vector<MeasuredWork>& measured, const BatchGpu& gpu) {
    BatchCosts best;
    double least = -1, fastest = 1;
    for (const MeasuredWork& m : measured) fastest = std::min(fastest, m.seconds);
    constexpr int starts = 12;
    for (int s = 0; s <= starts; ++s) {
        const double start = fastest * s / starts;
        std::vector<Equation> all;
        for (const MeasuredWork& m : measured) {
            const double left = m.seconds - start, memory = memory_seconds(m.work, gpu);
            const double rest = work_seconds(left, memory);
            // A change of the work shows in the time by so much.
            const double weight = std::max(0.2, rest / std::max(left, nanosecond)) / m.seconds;
            Equation e;
            for (std::size_t i = 0; i < BatchWork::most; ++i)
                e.x[i] = m.work.counts[i] * nanosecond * weight;
            e.y = rest * weight;
            all.push_back(e);
        }
        BatchCosts now;
        now.start = start / nanosecond;
        now.each = solve(all);
        const double error = error_of(measured, now, gpu);
        if (least < 0 || error < least) least = error, best = now;
    }
    return best;
}

std::string cublas_name(const Batch& x, bool by_pointers) {
    constexpr index_t thin = 8;
    const index_t least = std::min(x.m.all, x.n.all);
    std::string name = by_pointers ? "cublas:pointers" : "cublas:strided";
    // One column is A times a vector, one row is a vector times B, which is its transpose's.
    const bool plain = x.n.all == 1 ? x.op_a.all == Op::NoTrans : x.op_b.all != Op::NoTrans;
    if (least == 1)
        name += plain ? "1n" : "1t";
    else if (least <= thin)
        name += "8";
    if (x.op_a.all == Op::ConjTrans || x.op_b.all == Op::ConjTrans) name += "c";
    return name;
}

BatchWork cublas_work(const Batch& x, int processors) {
    const auto tiles = [&](index_t edge) {
        return parts_of(x.m.all, edge) * parts_of(x.n.all, edge);
    };
    const double each = static_cast<double>(x.count) / processors, apart = unaligned_of(x);
    const double deep = parts_of(x.k.all, 16), of_c = static_cast<double>(x.m.all * x.n.all);
    BatchWork work;
    work.bytes = traffic_of(x);
    work.counts = {each,
                   each * tiles(16),
                   each * tiles(32) * deep,
                   each * tiles(64) * deep,
                   each * tiles(32) * deep * apart,
                   each * tiles(16) * parts_of(x.k.all, 8),
                   std::ceil(each * tiles(32) / 8),
                   each * of_c * apart};
    return work;
}

bool parse_costs(std::string_view line, BatchCosts& costs) {
    std::istringstream words{std::string(line)};
    std::string type;
    if (!(words >> type >> costs.kernel >> costs.start) || type.size() != 1) return false;
    const std::size_t at = std::string_view("sdczhb").find(type);
    if (at == std::string_view::npos) return false;
    costs.type = static_cast<Type>(at);
    for (double& each : costs.each)
        if (!(words >> each)) return false;
    std::string more;
    return !(words >> more);
}

std::vector<BatchCosts> parse_all_costs(std::string_view text) {
    std::vector<BatchCosts> all;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);)
        if (BatchCosts costs; parse_costs(line.substr(0, line.find('#')), costs))
            all.push_back(costs);
    return all;
}

std::string to_text(const BatchCosts& costs) {
    const auto number = [](double x) {
        char text[32];
        std::snprintf(text, sizeof text, " %.4g", x);
        return std::string(text);
    };
    std::string text = std::string(1, letter_of(costs.type)) + " " + costs.kernel;
    text += number(costs.start);
    for (const double each : costs.each) text += number(each);
    return text;
}

}  // namespace gemmill
