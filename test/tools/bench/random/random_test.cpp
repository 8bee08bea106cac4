// SPDX-License-Identifier: Apache-2.0
// Random cases, what is said of their results, and a whole bench whose GPU is the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <sstream>

#include "bench/random/report.hpp"
#include "kernel/cpu/host/host_level3.hpp"
#include "task/problem.hpp"

namespace gemmill::command {
namespace {

// --- cases --------------------------------------------------------------------------------------

TEST(RandomCases, same_seed_same_cases) {
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < 40; ++i) {
        const RandomCase one = random_case(7, i), again = random_case(7, i);
        EXPECT_EQ(one.problem, again.problem);
        EXPECT_EQ(one.where, again.where);
        EXPECT_EQ(one.number, i);
        names.insert(name_of(one));
    }
    EXPECT_EQ(names.size(), 40U);
    EXPECT_EQ(names.count(name_of(random_case(8, 0))), 0U);
}

TEST(RandomCases, the_first_ones_are_these_on_every_machine) {
    EXPECT_EQ(name_of(random_case(7, 0)), "dtrsm right lower t 3982x6248 pageable");
    EXPECT_EQ(name_of(random_case(7, 1)), "dgemm tn 16974x1996x20354 pageable");
}

TEST(RandomCases, limits_hold) {
    const CaseLimits limits;
    EXPECT_DOUBLE_EQ(limits.flops(), 1.6e13);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const RandomCase one = random_case(3, i);
        const Problem& p = one.problem;
        EXPECT_LE(flops_of(p), limits.flops()) << name_of(one);
        EXPECT_GE(std::min({p.m, p.n, p.k}), limits.least / 4 - 1) << name_of(one);
        for (std::size_t operand = 0; operand < 3; ++operand)
            EXPECT_LE(bytes_of(one, operand), std::size_t{3'200'000'000}) << name_of(one);
        EXPECT_EQ(p.m % 2, p.n % 2);
        EXPECT_EQ(p.m % 2, p.k % 2);
        EXPECT_FALSE(p.routine == Routine::trsm && p.diag == Diag::Unit);
    }
}

double share_of(const std::function<bool(const RandomCase&)>& f) {
    constexpr int cases = 2000;
    int found = 0;
    for (std::uint64_t i = 0; i < cases; ++i) found += f(random_case(5, i)) ? 1 : 0;
    return static_cast<double>(found) / cases;
}

TEST(RandomCases, all_kinds_are_among_them) {
    const auto routine = [](Routine r) {
        return share_of([&](const RandomCase& one) { return one.problem.routine == r; });
    };
    EXPECT_NEAR(routine(Routine::gemm), 0.5, 0.05);
    for (const Routine r : {Routine::gemmt, Routine::symm, Routine::syrk, Routine::syr2k,
                            Routine::trmm, Routine::trsm})
        EXPECT_NEAR(routine(r), 0.5 / 6, 0.03) << name_of(r);
    EXPECT_NEAR(share_of(is_odd), 0.5, 0.05);
    EXPECT_NEAR(share_of([](const auto& one) { return one.problem.type == Type::d; }), 0.75, 0.05);
    EXPECT_NEAR(share_of([](const auto& one) { return one.where == Where::device; }), 0.1, 0.03);
    EXPECT_NEAR(share_of([](const auto& one) { return one.where == Where::pinned; }), 0.45, 0.05);
    EXPECT_NEAR(share_of([](const auto& one) { return one.problem.op_b == Op::Trans; }), 0.29,
                0.05);
}

TEST(RandomCases, in_core_each_op_and_the_even_n_beside) {
    const auto cases = core_cases({3001, 9999});
    ASSERT_EQ(cases.size(), 16U);
    EXPECT_EQ(name_of(cases[0]), "dgemm nn 3001x3001x3001 in core");
    EXPECT_EQ(name_of(cases[7]), "dgemm tt 3002x3002x3002 in core");
    EXPECT_TRUE(is_odd(cases[0]));
    EXPECT_FALSE(is_odd(cases[7]));
}

TEST(RandomCases, in_core_in_another_type) {
    EXPECT_EQ(name_of(core_cases({3001}, Type::z).at(1)), "zgemm nt 3001x3001x3001 in core");
}

TEST(RandomCases, complex_ones_conjugate_where_the_routine_may) {
    int hermitian = 0, symmetric = 0, conjugated = 0, transposed = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const RandomCase real = random_case(5, i), one = in_type(real, 5, Type::c);
        const Problem& p = one.problem;
        EXPECT_EQ(p.type, Type::c);
        EXPECT_EQ(p.m, real.problem.m);
        EXPECT_EQ(p, in_type(real, 5, Type::c).problem);
        EXPECT_EQ(in_type(real, 5, Type::s).problem.routine, real.problem.routine);
        EXPECT_EQ(in_type(real, 5, Type::h).problem.routine, Routine::gemm);
        EXPECT_EQ(p.op_a == Op::NoTrans, real.problem.op_a == Op::NoTrans);
        const bool update = p.routine == Routine::syrk || p.routine == Routine::syr2k;
        if (is_hermitian(p.routine)) {
            ++hermitian;
            EXPECT_NE(p.op_a, Op::Trans) << name_of(one);
        } else if (update || p.routine == Routine::symm) {
            ++symmetric;
            EXPECT_NE(p.op_a, Op::ConjTrans) << name_of(one);
        } else if (p.op_a != Op::NoTrans) {
            ++(p.op_a == Op::ConjTrans ? conjugated : transposed);
        }
    }
    EXPECT_NEAR(hermitian, symmetric, 80);
    EXPECT_NEAR(conjugated, transposed, 120);
}

TEST(RandomCases, blocks_of_cublasxt_fit_the_size) {
    const auto blocks = [](index_t m, index_t n, index_t k) {
        Problem p;
        p.m = m, p.n = n, p.k = k;
        return xt_blocks(p);
    };
    EXPECT_EQ(blocks(800, 800, 800), (std::vector{2048}));
    EXPECT_EQ(blocks(5000, 5000, 5000), (std::vector{2048, 4096}));
    EXPECT_EQ(blocks(12000, 12000, 12000), (std::vector{2048, 4096, 8192}));
    EXPECT_EQ(blocks(20000, 20000, 20000), (std::vector{4096, 8192, 16384}));
}

TEST(BenchArrays, are_filled_once_for_each_type) {
    Options options;
    options.devices = "cpu:1";
    Context context(options);
    BenchArrays arrays(context);
    for (const Where where : {Where::pinned, Where::pageable}) {
        arrays.grow(where, 1, 10000);
        arrays.fill(where, 1, Type::d);
        auto* const doubles = reinterpret_cast<double*>(arrays.data(where, 1));
        EXPECT_EQ(doubles[1249], random_real<double>(seeds[1], 1249));
        doubles[7] = 9;
        arrays.fill(where, 1, Type::d);
        EXPECT_EQ(doubles[7], 9);
        arrays.fill(where, 1, Type::s);
        EXPECT_EQ(reinterpret_cast<float*>(doubles)[7], random_real<float>(seeds[1], 7));
    }
}

// --- results ------------------------------------------------------------------------------------

RandomResult some_result(Where where, double ours, double peer) {
    RandomResult result;
    result.one.problem.m = result.one.problem.n = result.one.problem.k = 3001;
    result.one.problem.alpha = Factor::general;
    result.one.where = where;
    const Who who = where == Where::device ? Who::in_core : Who::xt;
    result.timings = {{Who::ours, 0, {ours, ours, ours}}, {who, 4096, {peer}}};
    result.bound = 0.8;
    return result;
}

TEST(RandomSummary, means_leasts_and_those_behind) {
    const std::vector<RandomResult> results{some_result(Where::pinned, 1, 4),
                                            some_result(Where::pageable, 2, 2),
                                            some_result(Where::device, 1, 0.5)};
    const RandomSummary host = summary_of(group_of(results, RandomGroup::host));
    EXPECT_EQ(host.cases, 2);
    EXPECT_DOUBLE_EQ(host.mean_share, 0.6);
    EXPECT_DOUBLE_EQ(host.least_share, 0.4);
    EXPECT_DOUBLE_EQ(host.mean_ratio, 2);
    EXPECT_DOUBLE_EQ(host.least_ratio, 1);
    EXPECT_EQ(host.behind, 1);
    const RandomSummary core = summary_of(group_of(results, RandomGroup::core_odd));
    EXPECT_EQ(core.cases, 1);
    EXPECT_DOUBLE_EQ(core.mean_ratio, 0.5);
    EXPECT_EQ(summary_of(group_of(results, RandomGroup::core_even)).cases, 0);
}

TEST(RandomSummary, what_did_not_run_is_left_out_and_told) {
    RandomReport report;
    report.results = {some_result(Where::pinned, 1, 4), some_result(Where::pinned, 1, 1)};
    report.results[1].timings[0].fault = "lost";
    const RandomSummary s = summary_of(report.results);
    EXPECT_EQ(s.cases, 2);
    EXPECT_DOUBLE_EQ(s.mean_ratio, 4);
    EXPECT_EQ(s.behind, 0);
    EXPECT_FALSE(all_right(report));
    EXPECT_NE(to_text(report).find("ours did not run: lost"), std::string::npos);
    EXPECT_TRUE(std::isnan(summary_of({}).mean_share));
}

TEST(RandomSummary, the_table_fits_110_columns) {
    RandomReport report;
    for (std::uint64_t i = 0; i < 300; ++i) {
        report.results.push_back(some_result(Where::pinned, 1, 0.9));
        report.results.back().one = random_case(9, i);
        report.results.back().one.number = 100 + i;
    }
    std::istringstream lines(to_text(report));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
}

// --- all of it ----------------------------------------------------------------------------------

const char* words(int) { return "no such block"; }
int open(int, PeerState**) { return 0; }
void close(PeerState*) {}
int gpu_name(PeerState*, char* text, std::size_t size) {
    std::strncpy(text, "the host", size);
    return 0;
}
int xt(PeerState*, const Level3Args& args, int, bool) {
    host_level3(args);
    return 0;
}
int in_core(PeerState*, const Level3Args& args) {
    host_level3(args);
    return 0;
}
int idle(PeerState*, const Level3Args&) { return 0; }
int refuses(PeerState*, const Level3Args&, int, bool) { return 1; }

Peers peers_with(decltype(Peers::xt_level3) cublasxt, decltype(Peers::in_core_level3) cublas) {
    Peers peers;
    peers.words = words, peers.open = open, peers.close = close, peers.gpu_name = gpu_name;
    peers.xt_level3 = cublasxt, peers.in_core_level3 = cublas;
    return peers;
}
const Peers& right_peers() {
    static const Peers peers = peers_with(xt, in_core);
    return peers;
}
const Peers& bad_peers() {
    static const Peers peers = peers_with(refuses, idle);
    return peers;
}

RandomReport run_all(int count, const Peers& (*peers)()) {
    RandomSetup setup;
    setup.devices = "cpu:1";
    setup.repeats = 2;
    for (int i = 0; i < count; ++i)
        setup.cases.push_back(random_case(4, static_cast<std::uint64_t>(i), {48, 160}));
    setup.cases.push_back(core_case(97));
    RandomBench bench(setup, peers, 0);
    RandomReport report{bench.gpu_name(), setup.devices, 4, setup.repeats};
    for (const RandomCase& one : setup.cases) report.results.push_back(bench.run(one));
    return report;
}

TEST(RandomBench, runs_and_checks_every_case) {
    const RandomReport report = run_all(10, right_peers);
    EXPECT_TRUE(all_right(report)) << to_text(report);
    EXPECT_EQ(report.gpu, "the host");
    for (const RandomResult& r : report.results) {
        EXPECT_GT(r.ours(), 0) << name_of(r.one);
        EXPECT_GT(r.bound, 0) << name_of(r.one);
        EXPECT_GT(r.ratio(), 0) << name_of(r.one);
        EXPECT_EQ(r.timings[0].samples.size(), 2U);
        const bool once = r.one.where == Where::pageable;
        EXPECT_EQ(r.timings[1].samples.size(), once ? 1U : 2U) << name_of(r.one);
    }
    const auto json = to_json(report);
    EXPECT_EQ(json["cases"].size(), report.results.size());
    EXPECT_EQ(json["cases"][0]["timings"][0]["samples"].size(), 2U);
    EXPECT_TRUE(json["right"].get<bool>());
}

TEST(RandomBench, runs_without_peers) {
    const RandomReport report = run_all(6, nullptr);
    EXPECT_TRUE(all_right(report)) << to_text(report);
    for (const RandomResult& r : report.results) EXPECT_TRUE(std::isnan(r.ratio()));
}

TEST(RandomBench, peers_that_fail_or_lie_are_named) {
    const RandomReport report = run_all(10, bad_peers);
    const std::string text = to_text(report);
    EXPECT_NE(text.find("cuBLASXt 2048 did not run: peers: cuBLASXt: no such block"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("in core: in-core is WRONG"), std::string::npos) << text;
    EXPECT_FALSE(all_right(report));
}

TEST(RandomBench, calls_and_threads) {
    RandomSetup setup;
    setup.devices = "cpu:1";
    setup.repeats = 2;
    setup.call_sizes = {100};
    setup.thread_size = 128;
    RandomBench bench(setup, right_peers, 0);
    const CallTime call = bench.measure_call(100, 3);
    EXPECT_GT(call.ours, 0);
    EXPECT_GT(call.in_core, 0);
    const ThreadTime threads = bench.measure_threads();
    EXPECT_EQ(threads.threads, 4);
    EXPECT_GT(threads.alone, 0);
    EXPECT_GT(threads.together, 0);
}

}  // namespace
}  // namespace gemmill::command
