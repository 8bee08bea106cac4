// SPDX-License-Identifier: Apache-2.0
// What `gemmill bench batch` says of results, without measuring any.
#include "bench/batch/batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gemmill::command {
namespace {

BatchBenchCase square(BatchKind kind, index_t n, Op op_b = Op::NoTrans) {
    BatchBenchCase one;
    one.kind = kind;
    one.op_b = op_b;
    one.m = one.n = one.k = n;
    return one;
}

BatchResult result(const BatchBenchCase& one, std::vector<BatchTiming> timings) {
    BatchResult r;
    r.one = one;
    r.count = 10;
    r.bytes = 1e9, r.flops = 1e10;
    r.timings = std::move(timings);
    return r;
}

BatchReport report() {
    BatchReport x{"cuda:0", "a GPU", 4e12, {}};
    x.results.push_back(result(square(BatchKind::strided, 16), {{"ours", 1e-3, 0, ""},
                                                                {"cuBLAS strided", 3e-3, 0, ""},
                                                                {"cuBLAS pointers", 2e-3, 0, ""}}));
    x.results.push_back(result(
        square(BatchKind::strided, 32),
        {{"ours", 1e-3, 0, ""}, {"cuBLAS strided", 5e-4, 0, ""}, {"cuBLAS pointers", 1, 0, ""}}));
    x.results.push_back(result(square(BatchKind::variable, 64),
                               {{"ours", 1e-3, 0, ""}, {"cuBLAS grouped", 4e-3, 2, ""}}));
    return x;
}

TEST(BenchBatch, the_peer_is_the_fastest_that_ran) {
    const BatchReport x = report();
    EXPECT_EQ(x.results[0].peer()->who, "cuBLAS pointers");
    const BatchResult broken = result(
        square(BatchKind::strided, 8),
        {{"ours", 1, 0, ""}, {"cuBLAS strided", 0, 0, "no memory"}, {"cuBLAS pointers", 3, 0, ""}});
    EXPECT_EQ(broken.peer()->who, "cuBLAS pointers");
    EXPECT_EQ(result(square(BatchKind::strided, 8), {{"ours", 1, 0, ""}}).peer(), nullptr);
}

TEST(BenchBatch, says_where_it_is_slowest_and_what_is_wrong) {
    const std::string text = to_text(report());
    EXPECT_NE(text.find("slowest of d strided nn: d strided nn 32 0.50"), std::string::npos)
        << text;
    EXPECT_NE(text.find("cuBLAS grouped is WRONG"), std::string::npos) << text;
    EXPECT_FALSE(report().results[2].right());
    EXPECT_DOUBLE_EQ(to_json(report())["results"][0]["ratio"].get<double>(), 2);
}

TEST(BenchBatch, sizes_are_spread_as_they_are_called) {
    const auto sizes = [](BatchSpread spread) { return batch_sizes(200, 3200, spread, 1); };
    const auto share = [&](BatchSpread spread, index_t most) {
        const auto all = sizes(spread);
        return static_cast<double>(std::ranges::count_if(all, [&](auto n) { return n <= most; })) /
               static_cast<double>(all.size());
    };
    for (const auto spread :
         {BatchSpread::even, BatchSpread::gaussian, BatchSpread::skewed, BatchSpread::tiny}) {
        const auto all = sizes(spread);
        EXPECT_GE(*std::ranges::min_element(all), 1);
        EXPECT_LE(*std::ranges::max_element(all), 200);
        EXPECT_GT(*std::ranges::max_element(all), 150);
        EXPECT_EQ(all, sizes(spread));
    }
    EXPECT_NEAR(share(BatchSpread::even, 100), 0.5, 0.05);
    EXPECT_NEAR(share(BatchSpread::gaussian, 100), 0.5, 0.05);
    EXPECT_NEAR(share(BatchSpread::skewed, 25), 0.5, 0.05);
    EXPECT_GT(share(BatchSpread::tiny, 8), 0.96);
}

TEST(BenchBatch, pictures_hold_their_own_cases) {
    const std::string fixed = draw(report()), variable = draw_variable(report());
    EXPECT_NE(fixed.find("ours, strided"), std::string::npos);
    EXPECT_NE(fixed.find("cuBLAS strided"), std::string::npos);
    EXPECT_EQ(fixed.find("cuBLAS pointers"), std::string::npos);
    EXPECT_EQ(fixed.find("even"), std::string::npos);
    EXPECT_NE(variable.find("grouped, even"), std::string::npos);
    EXPECT_NE(variable.find("as a copy, even"), std::string::npos);
}

TEST(BenchBatch, cases_of_one_precision_follow_each_other) {
    int changes = 0;
    const auto all = batch_cases(false, false);
    for (std::size_t i = 1; i < all.size(); ++i) {
        const auto is_single = [](Type type) { return type == Type::s || type == Type::c; };
        changes += is_single(all[i].type) != is_single(all[i - 1].type) ? 1 : 0;
    }
    EXPECT_EQ(changes, 1);
    for (const BatchBenchCase& one : all)
        EXPECT_TRUE(name_of(one) != "d strided nt 16" || one.asked == 0.98);
}

TEST(BenchBatch, random_shapes_are_those_of_their_seed) {
    const auto names = [](const RandomCases& of) {
        std::vector<std::string> all;
        for (const BatchBenchCase& one : random_batch_cases(of)) all.push_back(name_of(one));
        return all;
    };
    const RandomCases some{30, 5};
    EXPECT_EQ(names(some), names(some));
    EXPECT_NE(names(some), names({30, 6}));
    EXPECT_EQ(names(some).size(), 60U);
    EXPECT_EQ(names({30, 5, 64, "ds", true, false}).size(), 30U * 5);
    for (const BatchBenchCase& one : random_batch_cases({200, 5, 64})) {
        EXPECT_LE(std::max({one.m, one.n, one.k}), 64);
        EXPECT_GE(std::min({one.m, one.n, one.k}), 1);
        EXPECT_TRUE(one.bytes >= 1e8 && one.bytes < 3.2e9);
        EXPECT_EQ(one.gaps[0] > 0, one.gaps[1] > 0);
    }
}

TEST(BenchBatch, the_summary_of_random_shapes) {
    BatchReport x = report();
    x.results.resize(2);
    const std::string text = summary_of_random(x);
    EXPECT_NE(text.find("d strided"), std::string::npos) << text;
    EXPECT_NE(text.find("1.00"), std::string::npos) << "the mean of 2 and 0.5: " << text;
    EXPECT_NE(text.find("50 %"), std::string::npos) << text;
    const std::string picture = draw_ratios(x);
    EXPECT_NE(picture.find("<circle"), std::string::npos);
    EXPECT_EQ(picture.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace gemmill::command
