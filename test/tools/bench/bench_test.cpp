// SPDX-License-Identifier: Apache-2.0
// The parts of a bench, and a whole one whose GPU is the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <sstream>

#include "bench/gemm/report.hpp"
#include "bench/level3/run.hpp"
#include "check/level3_check.hpp"
#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_blas.hpp"
#include "kernel/cpu/host/host_level3.hpp"
#include "kernel/reference/level3.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

std::vector<std::string> names(const std::vector<BenchCase>& cases) {
    std::vector<std::string> all;
    for (const BenchCase& one : cases) all.push_back(name_of(one));
    return all;
}

BenchCase named_case(const std::string& name) {
    for (const BenchCase& one : bench_cases(false))
        if (name_of(one) == name) return one;
    throw std::logic_error(name);
}

// --- cases --------------------------------------------------------------------------------------

TEST(BenchCases, NamesAreUnique) {
    for (const bool quick : {false, true}) {
        const auto all = names(bench_cases(quick));
        EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
    }
}

TEST(BenchCases, ChosenByWords) {
    const auto all = bench_cases(false);
    using Names = std::vector<std::string>;
    EXPECT_EQ(names(chosen(all, "pinned 4096")), (Names{"d pinned 4096", "s pinned 4096"}));
    EXPECT_EQ(names(chosen(all, "z,pageable")), (Names{"d pageable 16384", "z pinned 8192"}));
    EXPECT_EQ(names(chosen(all, "cap 32768")), (Names{"d pinned 32768 cap"}));
    EXPECT_EQ(chosen(all, "thin").size(), 4U);
    EXPECT_EQ(chosen(all, "shares").size(), 6U);
    EXPECT_TRUE(chosen(all, "409").empty());
}

TEST(BenchCases, QuickOnesAreSmallAndAskNothing) {
    for (const BenchCase& one : bench_cases(true)) {
        EXPECT_LE(flops_of(one), 2e10) << name_of(one);
        EXPECT_EQ(one.rule, Rule::none);
    }
}

TEST(BenchCases, WhatIsAsked) {
    EXPECT_EQ(asked_text(named_case("d pinned 4096")), "xt 1.80");
    EXPECT_EQ(asked_text(named_case("d pageable 16384")), "xt 4.00");
    EXPECT_EQ(asked_text(named_case("d at hh0 16384")), "bound 0.90");
    EXPECT_TRUE(holds(named_case("d pinned 4096"), 1.8));
    EXPECT_FALSE(holds(named_case("d pinned 4096"), 1.79));
    EXPECT_TRUE(holds(named_case("d pinned 8192 shares 4"), 1.1));
    EXPECT_FALSE(holds(named_case("d pinned 8192 shares 4"), 1.2));
    EXPECT_FALSE(holds(named_case("d pinned 4096"), std::numeric_limits<double>::quiet_NaN()));
}

// --- the bound ----------------------------------------------------------------------------------

Rates some_rates() {
    Rates rates;
    rates.h2d = 50e9;
    rates.d2h = 40e9;
    rates.in_core.fill(60e12);
    return rates;
}

TEST(BenchBound, BytesAndFlops) {
    const double matrix = 8.0 * 16384 * 16384;
    const auto bound = [&](const char* name) { return bound_of(named_case(name), some_rates()); };
    EXPECT_DOUBLE_EQ(bound("d pinned 16384").in, 3 * matrix / 50e9);
    EXPECT_DOUBLE_EQ(bound("d pinned 16384").out, matrix / 40e9);
    EXPECT_DOUBLE_EQ(bound("d pinned 16384").compute, 2.0 * std::pow(16384, 3) / 60e12);
    EXPECT_DOUBLE_EQ(bound("d at hh0 16384").in, 2 * matrix / 50e9);
    EXPECT_EQ(bound("d at hh0 16384").out, 0);
    EXPECT_DOUBLE_EQ(bound("d at 0hh 16384").out, matrix / 40e9);
    EXPECT_DOUBLE_EQ(bound("d at 000 16384").seconds(), bound("d at 000 16384").compute);
    EXPECT_DOUBLE_EQ(bound("z pinned 8192").compute, 8.0 * std::pow(8192, 3) / 60e12);
    EXPECT_DOUBLE_EQ(bound("d thin 512x512x262144").in,
                     8.0 * (2.0 * 512 * 262144 + 512.0 * 512) / 50e9);
}

// --- results ------------------------------------------------------------------------------------

TEST(BenchResults, Medians) {
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1}), 2.5);
    EXPECT_TRUE(std::isnan(median({})));
}

BenchResult some_result(const std::string& name) {
    BenchResult result{named_case(name), bound_of(named_case(name), some_rates())};
    result.timings = {{Who::ours, 0, {2, 2, 2}},     {Who::plain, 0, {1.9, 1.9}},
                      {Who::xt, 2048, {5, 5}},       {Who::xt, 1024, {4, 4}},
                      {Who::xt, 4096, {}, 0, "out"}, {Who::copy_all, 0, {3}},
                      {Who::in_core, 0, {1.8}}};
    result.predicted = 2.2;
    return result;
}

TEST(BenchResults, WhatIsFound) {
    EXPECT_DOUBLE_EQ(some_result("d pinned 4096").found(), 2);
    EXPECT_DOUBLE_EQ(some_result("d pinned 16384 cap").found(), 0.95);
    EXPECT_DOUBLE_EQ(some_result("d at 000 4096").found(), 0.9);
    EXPECT_DOUBLE_EQ(some_result("d pinned 8192 shares 2").found(), 2 / 1.9);
    EXPECT_DOUBLE_EQ(some_result("d pinned 8192").seconds_of_block(2048), 5);
    EXPECT_TRUE(std::isnan(some_result("d pinned 8192").seconds_of_block(4096)));
    BenchResult none = some_result("d pinned 4096");
    none.timings.resize(1);
    EXPECT_TRUE(std::isnan(none.found()));
}

TEST(BenchResults, WhoIsRight) {
    BenchResult result = some_result("d pinned 4096");
    EXPECT_TRUE(result.right());
    result.timings[2].error = 1.5;
    EXPECT_FALSE(result.right());
    result = some_result("d pinned 4096");
    result.timings[0].fault = "lost";
    EXPECT_FALSE(result.right());
}

TEST(BenchResults, TableFits110Columns) {
    BenchReport report;
    report.rates = some_rates();
    report.default_block = 2048;
    for (const std::string& name : names(bench_cases(false)))
        report.results.push_back(some_result(name));
    std::istringstream lines(to_text(report));
    for (std::string line; std::getline(lines, line);) {
        if (!line.ends_with("did not run: out")) {
            EXPECT_LE(line.size(), 110U) << line;
        }
    }
    EXPECT_NE(draw(report).find("cuBLASXt"), std::string::npos);
}

// --- all of it ----------------------------------------------------------------------------------

const char* words(int) { return "no such block"; }
int open(int, PeerState**) { return 0; }
void close(PeerState*) {}
int gpu_name(PeerState*, char* text, std::size_t size) {
    std::strncpy(text, "the host", size);
    return 0;
}
int copy(PeerState*, void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return 0;
}
int default_block(PeerState*, int* block) {
    *block = 2048;
    return 0;
}
int multiply(PeerState*, const GemmArgs& args) {
    host_gemm(args);
    return 0;
}
int xt(PeerState*, const GemmArgs& args, int block, bool) {
    if (block == 1024) return 1;
    host_gemm(args);
    return 0;
}

int xt_level3(PeerState*, const Level3Args& args, int block, bool) {
    if (block == 4096) return 1;
    host_level3(args);
    return 0;
}
int level3(PeerState*, const Level3Args& args) {
    host_level3(args);
    return 0;
}

constexpr Peers right_peers{"", words,    open,     close,     gpu_name, copy, default_block,
                            xt, multiply, multiply, xt_level3, level3};
const Peers& host_peers() { return right_peers; }

int nothing(PeerState*, const GemmArgs&) { return 0; }
constexpr Peers idle_peers{"", words,   open,     close,     gpu_name, copy, default_block,
                           xt, nothing, multiply, xt_level3, level3};
const Peers& lazy_peers() { return idle_peers; }

TEST(BenchLevel3, tells_right_from_wrong) {
    constexpr index_t n = 70;
    for (const Level3Case& one : level3_cases()) {
        std::array<std::vector<double>, 3> data;
        for (std::size_t o = 0; o < 3; ++o) {
            data[o].resize(n * n);
            fill_random(Type::d, data[o].data(), n * n, seeds[o]);
        }
        for (index_t i = 0; i < n; ++i) data[0][std::size_t(i + i * n)] = 30;
        Level3Args g;
        g.routine = one.routine;
        g.m = g.n = g.k = n;
        g.alpha = {1.1, 0};
        g.beta = {0.9, 0};
        g.a = data[0].data(), g.c = data[2].data();
        if (has_b(g.routine)) g.b = data[1].data();
        g.lda = g.ldb = g.ldc = n;
        const Level3Check check(g);
        reference_level3(g);
        EXPECT_LE(check.error(g), 1) << name_of(one);
        data[2][n / 2 + 3] *= 1 + 1e-9;  // in the first column: of every triangle
        EXPECT_GT(check.error(g), 1) << name_of(one);
    }
}

TEST(BenchLevel3, runs_every_routine_and_says_which_peer_did_not) {
    Level3Setup setup;
    setup.devices = "cpu:1";
    setup.n = 96;
    setup.repeats = 2;
    int told = 0;
    const auto results = bench_level3(setup, host_peers, 0, [&](const Level3Result&) { ++told; });
    ASSERT_EQ(results.size(), level3_cases().size());
    EXPECT_EQ(told, std::ssize(results));
    for (const Level3Result& r : results) {
        EXPECT_TRUE(r.right()) << name_of(r.one);
        EXPECT_GT(r.found(), 0);
        EXPECT_GT(r.predicted, 0);
    }
    const std::string text = to_text(results, setup.n);
    EXPECT_NE(text.find("dtrsm on the GPU"), std::string::npos) << text;
    EXPECT_EQ(to_json(results, setup)["cases"].size(), results.size());
    setup.cases = "gemm";
    EXPECT_THROW(bench_level3(setup, host_peers, 0, [](const Level3Result&) {}), Error);
}

BenchReport run_all(const char* cases, const Peers& (*peers)()) {
    BenchReport report;
    report.setup = {"cpu:1", chosen(bench_cases(true), cases), 2, true, true};
    Bench bench(report.setup, peers, 0);
    report.rates = bench.measure_rates();
    report.call = bench.measure_call();
    for (const BenchCase& one : report.setup.cases)
        report.results.push_back(bench.run(one, report.rates));
    return report;
}

TEST(BenchRun, OnTheHost) {
    const BenchReport report = run_all("256,at,cap 1024,pageable,thin 4096x64x64", host_peers);
    EXPECT_TRUE(all_right(report)) << to_text(report);
    EXPECT_GT(report.rates.h2d, 0);
    EXPECT_GT(report.call.ours, 0);
    for (const BenchResult& r : report.results) {
        const bool plain = is_plain(r.one), inside = all_on_device(r.one);
        EXPECT_GT(r.seconds(Who::ours), 0);
        EXPECT_GT(r.predicted, 0);
        EXPECT_GT(r.steps, 0U);
        EXPECT_EQ(std::isnan(r.seconds(Who::plain)), plain) << name_of(r.one);
        EXPECT_EQ(std::isnan(r.seconds(Who::in_core)), !(plain && inside)) << name_of(r.one);
        EXPECT_EQ(std::isnan(r.seconds(Who::copy_all)), !plain || inside) << name_of(r.one);
    }
    const auto json = to_json(report);
    EXPECT_EQ(json["cases"].size(), report.results.size());
    EXPECT_EQ(json["cases"][0]["timings"][0]["samples"].size(), 2U);
    EXPECT_TRUE(json["right"].get<bool>());
}

TEST(BenchRun, APeerThatDoesNothingIsWrongAndNamed) {
    const BenchReport report = run_all("d pinned 256", lazy_peers);
    EXPECT_FALSE(all_right(report));
    EXPECT_NE(to_text(report).find("d pinned 256: copy-all is WRONG"), std::string::npos);
}

TEST(BenchRun, APeerThatFailsIsNamed) {
    const BenchReport report = run_all("d thin 4096x64x64", host_peers);
    EXPECT_TRUE(all_right(report));
    EXPECT_NE(to_text(report).find("cuBLASXt 1024 did not run: peers: cuBLASXt: no such block"),
              std::string::npos);
}

TEST(BenchRun, ACaseThatCannotRunIsNamed) {
    const BenchReport report = run_all("d pinned 512 shares 2", host_peers);  // of GPUs only
    EXPECT_FALSE(all_right(report));
    EXPECT_NE(to_text(report).find("d pinned 512 shares 2: ours did not run"), std::string::npos);
}

}  // namespace
}  // namespace gemmill::command
