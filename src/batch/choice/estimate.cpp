// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>

namespace gemmill {
namespace {

constexpr double nanosecond = 1e-9;

double sum_of(const BatchWork& work, const BatchCosts& costs) {
    double sum = 0;
    for (std::size_t i = 0; i < BatchWork::most; ++i) sum += work.counts[i] * costs.each[i];
    return sum * nanosecond;
}

/// All that is fitted: the costs of each count, and behind them the start.
constexpr std::size_t unknowns = BatchWork::most + 1;
using Unknowns = std::array<double, unknowns>;

/// One row of a least-squares problem: by how much each unknown changes a ratio, and what they
/// should sum to.
struct Equation {
    Unknowns x{};
    double y = 0;
};

/// None is below 0: one after the other is set to its best, again and again.
Unknowns solve(const std::vector<Equation>& all, Unknowns costs) {
    constexpr int sweeps = 400;
    std::array<Unknowns, unknowns> square{};
    Unknowns right{};
    for (const Equation& e : all)
        for (std::size_t i = 0; i < unknowns; ++i) {
            right[i] += e.x[i] * e.y;
            for (std::size_t j = 0; j < unknowns; ++j) square[i][j] += e.x[i] * e.x[j];
        }
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t i = 0; i < unknowns; ++i) {
            if (square[i][i] <= 0) continue;
            double rest = right[i];
            for (std::size_t j = 0; j < unknowns; ++j)
                if (j != i) rest -= square[i][j] * costs[j];
            costs[i] = std::max(0.0, rest / square[i][i]);
        }
    return costs;
}

/// What two things take that go on beside one another.
double together(double a, double b, double power) {
    return std::pow(std::pow(a, power) + std::pow(b, power), 1 / power);
}

/// Twice as fast where nothing comes from memory.
double memory_seconds(const BatchWork& work, const BatchGpu& gpu) {
    return work.bytes / gpu.memory / (work.bytes < gpu.cache ? 2 : 1);
}

/// How much an estimate counts that is `ratio` of what was measured, by its logarithm.
double share_of(double ratio, double longer) { return ratio < 0 ? longer : 1; }

double error_of(const std::vector<MeasuredWork>& measured, const BatchCosts& costs,
                const BatchGpu& gpu, double longer) {
    double sum = 0;
    for (const MeasuredWork& m : measured) {
        const double ratio = std::log(seconds_of(m.work, costs, gpu) / m.seconds);
        const double share = share_of(ratio, longer);
        sum += share * share * std::min(ratio * ratio, 0.25);
    }
    return sum;
}

BatchCosts costs_of(const Unknowns& from, double power) {
    BatchCosts costs;
    costs.power = power;
    costs.start = from[BatchWork::most];
    std::copy_n(from.begin(), BatchWork::most, costs.each.begin());
    return costs;
}

/// As if each count alone took half of the least that it could have taken.
Unknowns first_guess(const std::vector<MeasuredWork>& measured) {
    Unknowns guess{};
    for (std::size_t i = 0; i < unknowns; ++i) {
        std::vector<double> each;
        for (const MeasuredWork& m : measured) {
            const double count = i < BatchWork::most ? m.work.counts[i] : 1;
            if (count > 0) each.push_back(m.seconds / nanosecond / count);
        }
        if (each.empty()) continue;
        guess[i] = *std::ranges::min_element(each) / 2;
    }
    return guess;
}

/// How the ratio of the estimate to what was measured changes with each unknown, about where they
/// are now. What is far off counts little: it has reasons of its own.
Equation equation_of(const MeasuredWork& m, const BatchCosts& costs, const BatchGpu& gpu,
                     double longer) {
    constexpr double far_off = 0.3;
    const double now = seconds_of(m.work, costs, gpu), rest = sum_of(m.work, costs);
    const double both = together(memory_seconds(m.work, gpu), rest, costs.power);
    // Where work hides behind memory altogether, some of it is still to be seen.
    const double seen = both > 0 ? std::max(0.2, std::pow(rest / both, costs.power - 1)) : 1;
    const double off = std::log(now / m.seconds) / far_off;
    const double weight = share_of(off, longer) / std::sqrt(1 + off * off);
    const double scale = weight / std::min(std::max(now, m.seconds / 2), 2 * m.seconds);
    Equation e;
    double sum = 0;
    for (std::size_t i = 0; i < unknowns; ++i) {
        const bool is_start = i == BatchWork::most;
        const double by = is_start ? nanosecond : m.work.counts[i] * nanosecond * seen;
        e.x[i] = by * scale;
        sum += by * (is_start ? costs.start : costs.each[i]);
    }
    e.y = (m.seconds - now + sum) * scale;
    return e;
}

BatchCosts fit_costs(const std::vector<MeasuredWork>& measured, const BatchGpu& gpu, double longer,
                     double power) {
    constexpr int rounds = 30;
    Unknowns now = first_guess(measured);
    BatchCosts best = costs_of(now, power);
    double least = error_of(measured, best, gpu, longer);
    for (int round = 0; round < rounds; ++round) {
        std::vector<Equation> all;
        for (const MeasuredWork& m : measured)
            all.push_back(equation_of(m, costs_of(now, power), gpu, longer));
        const Unknowns next = solve(all, now);
        for (std::size_t i = 0; i < unknowns; ++i) now[i] = (now[i] + next[i]) / 2;
        const BatchCosts costs = costs_of(now, power);
        const double error = error_of(measured, costs, gpu, longer);
        if (error < least) least = error, best = costs;
    }
    return best;
}

}  // namespace

double seconds_of(const BatchWork& work, const BatchCosts& costs, const BatchGpu& gpu) {
    return costs.start * nanosecond +
           together(memory_seconds(work, gpu), sum_of(work, costs), costs.power);
}

BatchCosts fit_costs(const std::vector<MeasuredWork>& measured, const BatchGpu& gpu,
                     double longer) {
    BatchCosts best;
    double least = std::numeric_limits<double>::infinity();
    for (const double power : {1.0, 1.5, 2.0, 3.0, 5.0}) {
        const BatchCosts costs = fit_costs(measured, gpu, longer, power);
        const double error = error_of(measured, costs, gpu, longer);
        if (error < least) least = error, best = costs;
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

bool is_few(const Batch& batch, const BatchGpu& gpu) { return traffic_of(batch) < gpu.cache; }

std::string costs_name(const Batch& x, std::string_view who, const BatchGpu& gpu) {
    const bool is_call = who.starts_with("cublas"), by_pointers = x.c.array != nullptr;
    const std::string name =
        is_call ? cublas_name(x, by_pointers || who != "cublas") : std::string(who);
    if (is_few(x, gpu)) return name + std::string(few_ending);
    return by_pointers && !is_call ? name + std::string(pointers_ending) : name;
}

double seconds_to_list(const Batch& x, const BatchGpu& gpu) {
    constexpr double launch = 4e-6, of_product = 24;
    return launch + of_product * static_cast<double>(x.count) / gpu.memory;
}

double seconds_as_offered(const Batch& x, bool by_pointers, double call, const BatchGpu& gpu) {
    // Estimates are off by some, and the least of those of many kernels is more often too low than
    // the one of cuBLAS: it is taken unless a kernel is estimated to be this much faster.
    constexpr double certain = 1.1;
    const bool makes_pointers = by_pointers && x.c.array == nullptr;
    return (call + (makes_pointers ? seconds_to_list(x, gpu) : 0)) / certain;
}

bool cublas_takes_pointers(const Batch& x) {
    constexpr std::uintptr_t most = 16;  // bytes that are read at a time
    const auto is_aligned = [&](const BatchMatrix& of) {
        return of.array == nullptr && reinterpret_cast<std::uintptr_t>(of.data) % most == 0 &&
               static_cast<std::uintptr_t>(of.stride * bytes_of(x.type)) % most == 0;
    };
    return !is_short(x.type) || x.k.all % 2 == 1 ||
           (is_aligned(x.a) && is_aligned(x.b) && is_aligned(x.c));
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
    if (!(words >> type >> costs.kernel >> costs.start >> costs.power) || type.size() != 1)
        return false;
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
    text += number(costs.start) + number(costs.power);
    for (const double each : costs.each) text += number(each);
    return text;
}

}  // namespace gemmill
