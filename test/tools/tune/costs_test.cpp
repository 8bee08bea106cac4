// SPDX-License-Identifier: Apache-2.0
#include "tune/costs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tune/times.hpp"

namespace gemmill::command {
namespace {

bool work_of(const Batch& batch, const std::string&, BatchWork& work) {
    work = cublas_work(batch, BatchGpu{}.processors);
    return true;
}

/// Batches of these shapes by a kernel, which takes `pointers` times as long by pointers, and by
/// both calls of cuBLAS, which take twice and four times as long.
std::vector<BatchResult> times_of(double pointers) {
    std::string text;
    for (int n = 20; n < 60; n += 2) {
        const double time = n * n / 10.0;
        text += fmt::format("d strided nn {0} {0} {0} 0 0 0 5000: far {1} cublas {2}", n, time,
                            2 * time);
        text += fmt::format(" cublas:pointers {}\n", 4 * time);
        text += fmt::format("d pointers nn {0} {0} {0} 0 0 0 5000: far {1} cublas {2}\n", n,
                            pointers * time, 4 * time);
        text += fmt::format("d strided nn {0} {0} {0} 0 0 0 10: far 6 cublas 9", n);
        text += " cublas:pointers 14\n";
    }
    return parse_times(text);
}

const BatchCosts* row(const std::vector<BatchCosts>& costs, const std::string& name) {
    for (const BatchCosts& c : costs)
        if (c.kernel == name) return &c;
    return nullptr;
}

TEST(TuneRandom, rows_for_each_kind_of_batch) {
    const std::vector<BatchResult> measured = times_of(1.5);
    const std::vector<BatchCosts> costs = costs_of(measured, work_of, {});
    for (const char* name : {"far", "far@pointers", "far@few", "cublas:strided", "cublas:pointers",
                             "cublas:strided@few", "cublas:pointers@few"})
        ASSERT_NE(row(costs, name), nullptr) << name;
    const auto seconds = [&](std::size_t i, const char* name) {
        return seconds_of(cublas_work(measured[i].batch, 132), *row(costs, name));
    };
    EXPECT_NEAR(seconds(31, "far@pointers") / seconds(30, "far"), 1.5, 0.1);
}

/// What a call by pointers of a strided batch took is told apart from what made the pointers.
TEST(TuneRandom, pointers_that_were_made_are_no_cost_of_the_call) {
    const std::vector<BatchResult> measured = times_of(1.5);
    const std::vector<BatchCosts> costs = costs_of(measured, work_of, {});
    const BatchResult& few = measured[2];
    const double call = seconds_of(cublas_work(few.batch, 132), *row(costs, "cublas:pointers@few"));
    EXPECT_NEAR(call, 14e-6 - seconds_to_list(few.batch), 0.2e-6);
}

TEST(TuneRandom, what_is_chosen_is_judged_beside_cublas) {
    const std::vector<BatchResult> measured = times_of(1.5);
    const std::string text = report_of(measured, costs_of(measured, work_of, {}), work_of, {});
    EXPECT_NE(text.find("strided: cuBLAS over what is chosen at least 0.98 in 100.0 %"),
              std::string::npos);
    EXPECT_NE(text.find("10 products: "), std::string::npos);
    EXPECT_NE(text.find("20 batches"), std::string::npos);
    EXPECT_NE(text.find("within 5 % of the best: 60 of 60"), std::string::npos) << text;
    // By costs of other batches a kernel is taken that is slower than cuBLAS.
    std::vector<BatchResult> slower = times_of(5);
    const std::string behind = report_of(slower, costs_of(measured, work_of, {}), work_of, {});
    EXPECT_NE(behind.find("pointers: cuBLAS over what is chosen at least 0.98 in 0.0 %, 0.97 in "
                          "0.0 %, 0.93 in 0.0 %, least 0.80; 25.0 % longer than the best"),
              std::string::npos)
        << behind;
}

TEST(TuneRandom, pointers_are_made_only_where_the_strided_call_is_known) {
    std::vector<BatchResult> measured = times_of(1);
    std::vector<BatchCosts> costs = costs_of(measured, work_of, {});
    std::erase_if(costs, [](const BatchCosts& c) { return c.kernel.starts_with("far"); });
    for (BatchCosts& c : costs)
        if (c.kernel == "cublas:pointers") c.start = 0, c.each = {};
    EXPECT_NE(report_of({measured[0]}, costs, work_of, {}).find("cublas:pointers takes"),
              std::string::npos);
    std::erase_if(costs, [](const BatchCosts& c) { return c.kernel == "cublas:strided"; });
    EXPECT_NE(report_of({measured[0]}, costs, work_of, {}).find("0 of 0"), std::string::npos);
}

}  // namespace
}  // namespace gemmill::command
