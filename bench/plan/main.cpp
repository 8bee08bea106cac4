// SPDX-License-Identifier: Apache-2.0
// What it costs to plan, to simulate, to check and to find a plan again; in microseconds.
#include <fmt/format.h>

#include <cstdlib>

#include "fresh.hpp"
#include "gemmill/gemmill.hpp"
#include "growth.hpp"
#include "model/engine.hpp"
#include "planner/planner.hpp"
#include "runner.hpp"

namespace {

struct Case {
    const char* machine;
    gemmill::index_t n;
    std::int64_t cap;
};

gemmill::Problem square(gemmill::index_t n) {
    gemmill::Problem problem;
    problem.m = problem.n = problem.k = n;
    problem.alpha = problem.beta = gemmill::Factor::general;
    return problem;
}

nlohmann::json plan_case(const bench::Settings& settings, const Case& c) {
    const gemmill::Machine machine = gemmill::load_machine(c.machine);
    gemmill::Options options;
    options.device_memory = c.cap;
    const gemmill::Plan plan = gemmill::make_plan(square(c.n), machine, options);
    const bool valid = gemmill::validate(plan).empty();
    const auto times = bench::median_seconds(
        settings, {{"plan", [&] { gemmill::make_plan(square(c.n), machine, options); }},
                   {"simulate", [&] { gemmill::simulate(plan); }},
                   {"validate", [&] { gemmill::validate(plan); }}});
    fmt::print("{:>12} {:>6} {:>9} {:>8} {:>9.0f} {:>9.0f} {:>9.0f} {:>6}\n", c.machine, c.n, c.cap,
               plan.steps.size(), 1e6 * times[0], 1e6 * times[1], 1e6 * times[2],
               valid ? "yes" : "NO");
    return {{"name", "plan"},
            {"machine", c.machine},
            {"n", c.n},
            {"cap", c.cap},
            {"steps", plan.steps.size()},
            {"plan_seconds", times[0]},
            {"simulate_seconds", times[1]},
            {"validate_seconds", times[2]},
            {"valid", valid}};
}

/// A warm call finds its plan in the context's cache.
nlohmann::json cache_case(const bench::Settings& settings) {
    gemmill::Options options;
    options.devices = "cpu:4";
    gemmill::Context context(options);
    const gemmill::Problem problem = square(4096);
    const auto times = bench::median_seconds(settings, {{"hit", [&] { context.plan(problem); }}});
    fmt::print("plan-cache hit: {:.3f} us\n", 1e6 * times[0]);
    return {{"name", "plan_cache_hit"}, {"seconds", times[0]}};
}

nlohmann::json plan_cases(const bench::Settings& settings) {
    std::vector<Case> cases{{"hgx-a100-8", 4096, 0}, {"hgx-a100-8", 16384, 0}};
    if (!settings.quick) {
        cases.push_back({"hgx-a100-8", 32768, 0});
        cases.push_back({"hgx-a100-8", 32768, std::int64_t{1} << 30});
        cases.push_back({"h200", 65536, std::int64_t{4} << 30});
    }
    fmt::print("{:>12} {:>6} {:>9} {:>8} {:>9} {:>9} {:>9} {:>6}\n", "machine", "n", "cap", "steps",
               "plan us", "sim us", "check us", "valid");
    nlohmann::json results;
    for (const Case& c : cases) results.push_back(plan_case(settings, c));
    return results;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && argv[1] == bench::first_flag) {
        bench::print_first(std::atoll(argv[2]));
        return 0;
    }
    const bench::Settings settings = bench::parse(argc, argv);
    nlohmann::json results = plan_cases(settings);
    results.push_back(cache_case(settings));
    for (const nlohmann::json& more : {bench::fresh(settings), bench::growth(settings)})
        results.insert(results.end(), more.begin(), more.end());
    bench::write(settings, results);
    for (const nlohmann::json& result : results)
        if (!result.value("valid", true)) return 1;
    return 0;
}
