// SPDX-License-Identifier: Apache-2.0
#include "growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <numeric>

#include "model/engine.hpp"
#include "planner/candidate/favour.hpp"
#include "planner/choice.hpp"
#include "planner/planner.hpp"
#include "planner/shape/tiles/gemm.hpp"
#include "task/describe.hpp"
#include "task/problem.hpp"

namespace bench {
namespace {

using gemmill::index_t;

/// A plan to be made: one candidate of a search.
struct Recipe {
    gemmill::Draft frame;  ///< machine, problem, devices and limits
    gemmill::Candidate candidate;

    gemmill::Plan make() const {
        gemmill::Draft plan = frame;
        gemmill::plan_gemm(plan, candidate.policy, candidate.choice);
        return plan;
    }
};

gemmill::Problem problem_of(index_t m, index_t n, index_t k) {
    gemmill::Problem problem;
    problem.m = m, problem.n = n, problem.k = k;
    problem.alpha = problem.beta = gemmill::Factor::general;
    return problem;
}

Recipe recipe_of(const char* machine, const char* policy, const gemmill::Problem& problem) {
    gemmill::Options options;
    options.policy = policy;
    Recipe recipe;
    recipe.candidate.policy = gemmill::resolve_policy(options);
    recipe.frame.machine = gemmill::load_machine(machine);
    recipe.frame.problem = problem;
    gemmill::describe(problem, recipe.frame);
    recipe.frame.policy = policy;
    recipe.frame.devices = gemmill::parse_devices(recipe.frame.machine, "all");
    for (const gemmill::Memory& memory : recipe.frame.machine.memories)
        recipe.frame.limit.push_back(memory.capacity);
    recipe.candidate.choice.devices = recipe.frame.devices;
    return recipe;
}

Recipe tiles(const char* policy, const gemmill::Problem& problem, index_t tile) {
    Recipe recipe = recipe_of("hgx-a100-8", policy, problem);
    recipe.candidate.choice.tile = {tile, tile, tile};
    recipe.candidate.choice.fixed_tile = true;
    // What policy best does with a tile that the user has fixed.
    if (recipe.candidate.policy.order == gemmill::Sequence::strips)
        recipe.candidate.policy.order = gemmill::Sequence::panels;
    return recipe;
}

Recipe cube(const char* policy, index_t count) {
    constexpr index_t tile = 512;
    return tiles(policy, problem_of(tile * count, tile * count, tile * count), tile);
}
Recipe uncut_cube(index_t count) { return cube("uncut", count); }
Recipe best_cube(index_t count) { return cube("best", count); }
Recipe naive_cube(index_t count) { return cube("naive", count); }

/// Each device has room for half of A.
Recipe blasx_short_of_memory(index_t count) {
    Recipe recipe = cube("blasx", count);
    const std::int64_t room = gemmill::operand_bytes(recipe.frame.problem, gemmill::operand::A) / 2;
    for (std::size_t m = 0; m < recipe.frame.limit.size(); ++m)
        if (recipe.frame.machine.memories[m].kind == gemmill::MemoryKind::device)
            recipe.frame.limit[m] = std::min(recipe.frame.limit[m], room);
    return recipe;
}

constexpr index_t small = 64;

Recipe long_m(index_t count) {
    return tiles("uncut", problem_of(small * count, 8 * small, small), small);
}
Recipe long_k(index_t count) {
    return tiles("uncut", problem_of(8 * small, 8 * small, small * count), small);
}
Recipe short_k(index_t count) {
    return tiles("uncut", problem_of(small * count, small * count, small), small);
}

/// As many panels as strips, on a machine that has room for them. The search stops at 64.
Recipe strips(index_t count) {
    constexpr index_t part = 128, devices = 8;
    Recipe recipe = recipe_of("gpu:8(mem=100PB) nvswitch:300GB/s pcie:25GB/s host:1000PB", "best",
                              problem_of(1024, 2 * devices * part * count, part * count));
    gemmill::Choice& choice = recipe.candidate.choice;
    choice.grid = gemmill::strip_grid(recipe.frame.problem, choice.devices.size());
    choice.strips = {0.5, false, count, 1, count, 1};
    return recipe;
}

/// Plans of one kind, each with about ten times the steps of the one before.
struct Kind {
    const char* name;
    Recipe (*recipe)(index_t count);
    std::array<index_t, 4> counts;
};

constexpr Kind kinds[] = {
    {"uncut, cube", uncut_cube, {8, 18, 42, 96}},
    {"best, cube of tiles", best_cube, {8, 18, 42, 96}},
    {"naive, cube", naive_cube, {8, 16, 32, 70}},
    {"blasx, little memory", blasx_short_of_memory, {8, 17, 36, 80}},
    {"uncut, long m", long_m, {32, 320, 3200, 32000}},
    {"uncut, long k", long_k, {8, 88, 880, 8800}},
    {"uncut, short k", short_k, {16, 48, 160, 512}},
    {"best, strips", strips, {12, 120, 1200, 12000}},
};

constexpr std::array parts{"plan", "simulate", "validate"};

struct Point {
    index_t steps = 0;
    std::array<double, parts.size()> seconds{};  ///< of each part
    bool right = false;

    double us_a_step(std::size_t part) const {
        return 1e6 * seconds[part] / static_cast<double>(steps);
    }
    double ratio(std::size_t part, const Point& before) const {
        return us_a_step(part) / before.us_a_step(part);
    }
};

/// Ten times the steps take a hundred times as long at worst, that of n^2.
bool ten_times_that_is_too_much(const Point& point) {
    constexpr double most = 60;
    return 100 * std::accumulate(point.seconds.begin(), point.seconds.end(), 0.0) > most;
}

/// Processor time, which others on the machine do not lengthen: all of this runs on one thread.
/// The median of five calls, or of as many as a second has room for.
template <class F>
double median_processor_seconds(F call) {
    constexpr double enough = 1;
    std::vector<double> all;
    for (double sum = 0; all.size() < 5 && sum < enough; sum += all.back()) {
        const std::clock_t start = std::clock();
        call();
        all.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return median(std::move(all));
}

Point measure(const Recipe& recipe) {
    Point point;
    gemmill::Plan plan;
    gemmill::Timeline timeline;
    std::vector<std::string> faults;
    point.seconds = {median_processor_seconds([&] { plan = recipe.make(); }),
                     median_processor_seconds([&] { timeline = gemmill::simulate(plan); }),
                     median_processor_seconds([&] { faults = gemmill::validate(plan); })};
    const double flops = gemmill::flops_of(plan.operands, plan.goal);
    point.steps = std::ssize(plan.steps);
    point.right = faults.empty() && gemmill::makespan(timeline) > 0 &&
                  std::abs(gemmill::statistics(plan).flops - flops) <= 1e-9 * flops;
    return point;
}

void print_row(const char* kind, const Point& point, const Point* before) {
    fmt::print("{:<20} {:>8}", kind, point.steps);
    for (std::size_t part = 0; part < parts.size(); ++part)
        fmt::print(" {:>7.2f} {:>6}", point.us_a_step(part),
                   before ? fmt::format("x{:.2f}", point.ratio(part, *before)) : "");
    fmt::print(" {:>6}\n", point.right ? "yes" : "NO");
    std::fflush(stdout);
}

nlohmann::json to_json(const char* kind, const Point& point) {
    nlohmann::json json{
        {"name", "growth"}, {"kind", kind}, {"steps", point.steps}, {"valid", point.right}};
    for (std::size_t part = 0; part < parts.size(); ++part)
        json[fmt::format("{}_processor_seconds", parts[part])] = point.seconds[part];
    return json;
}

}  // namespace

nlohmann::json growth(const Settings& settings) {
    nlohmann::json results = nlohmann::json::array();
    fmt::print("\n{:<20} {:>8}", "us a step", "steps");
    for (const char* const part : parts) fmt::print(" {:>14}", part);
    fmt::print(" {:>6}\n", "right");
    for (const Kind& kind : kinds) {
        std::vector<Point> points;
        for (const index_t count : kind.counts) {
            if (settings.quick && points.size() == 2) break;
            points.push_back(measure(kind.recipe(count)));
            const Point* before = points.size() > 1 ? &points[points.size() - 2] : nullptr;
            print_row(kind.name, points.back(), before);
            results.push_back(to_json(kind.name, points.back()));
            if (ten_times_that_is_too_much(points.back())) break;
        }
    }
    return results;
}

}  // namespace bench
