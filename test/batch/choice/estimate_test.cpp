// SPDX-License-Identifier: Apache-2.0
#include "batch/choice/estimate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>

#include "support/random.hpp"

namespace gemmill::test {
namespace {

Batch batch_of(index_t m, index_t n, index_t k, index_t count) {
    Batch x;
    x.count = count;
    x.m = {m}, x.n = {n}, x.k = {k};
    x.beta.all = {1, 0};
    x.a = {nullptr, m * k, nullptr, {m}};
    x.b = {nullptr, k * n, nullptr, {k}};
    x.c = {nullptr, m * n, nullptr, {m}};
    return x;
}

TEST(BatchEstimate, traffic_is_of_whole_sectors) {
    Batch x = batch_of(3, 5, 7, 10);
    EXPECT_DOUBLE_EQ(traffic_of(x), 10 * 8 * (21 + 35 + 2 * 15));
    x.beta.all = {};
    EXPECT_DOUBLE_EQ(traffic_of(x), 10 * 8 * (21 + 35 + 15));
    // A column of 24 bytes of every 800 is at least a sector, and one more where it does not fit.
    EXPECT_DOUBLE_EQ(bytes_of_matrix(3, 5, 100, 8), 5 * (24 + 24));
    EXPECT_DOUBLE_EQ(bytes_of_matrix(4, 5, 100, 8), 5 * 32);
    EXPECT_DOUBLE_EQ(bytes_of_matrix(3, 5, 4, 8), 5 * 32) << "no more than all of it";
}

TEST(BatchEstimate, what_cannot_be_read_by_16_bytes) {
    Batch x = batch_of(4, 4, 4, 10);
    EXPECT_DOUBLE_EQ(unaligned_of(x), 0);
    x.a.ld.all = 5;
    EXPECT_DOUBLE_EQ(unaligned_of(x), 1.0 / 3);
    x = batch_of(3, 3, 3, 10);
    EXPECT_DOUBLE_EQ(unaligned_of(x), 1);
}

TEST(BatchEstimate, more_work_takes_longer) {
    const BatchCosts costs{Type::d, "some", 3000, 2, {0, 50, 20, 5, 0, 300, 40, 0}};
    const auto seconds = [&](index_t n, index_t count) {
        return seconds_of(tile_work(batch_of(n, n, n, count), {32, 32, 16, 4}, 132), costs);
    };
    EXPECT_GE(seconds(1, 1), 3e-6);
    EXPECT_LT(seconds(8, 1000), seconds(8, 100000));
    EXPECT_LT(seconds(32, 10000), seconds(33, 10000)) << "two tiles more";
    const BatchWork work = tile_work(batch_of(64, 64, 64, 100000), {32, 32, 16, 4}, 132);
    EXPECT_GT(seconds_of(work, costs), work.bytes / BatchGpu{}.memory) << "no faster than memory";
}

/// What batches of random shapes take by these costs, and some percent more or less.
std::vector<MeasuredWork> measured_by(const BatchCosts& costs) {
    Random random(3);
    std::vector<MeasuredWork> measured;
    for (int i = 0; i < 300; ++i) {
        const Batch x = batch_of(random.between(1, 128), random.between(1, 128),
                                 random.between(1, 128), random.between(1, 20000));
        const BatchWork work = tile_work(x, {32, 32, 16, 4}, 132);
        const double noise = 1 + 0.01 * static_cast<double>(random.between(-3, 3));
        measured.push_back({work, seconds_of(work, costs) * noise});
    }
    return measured;
}

/// Costs that made the times are found again, but for what has no share in them.
TEST(BatchEstimate, costs_are_found_from_times) {
    for (const double power : {1.0, 2.0, 5.0}) {
        const BatchCosts made{Type::d, "some", 4000, power, {0, 200, 90, 0, 0, 500, 0, 0}};
        const std::vector<MeasuredWork> measured = measured_by(made);
        const BatchCosts found = fit_costs(measured);
        for (const MeasuredWork& m : measured)
            EXPECT_NEAR(seconds_of(m.work, found) / m.seconds, 1, 0.15) << power;
        for (const double each : found.each) EXPECT_GE(each, 0);
    }
}

TEST(BatchEstimate, memory_and_work_hide_behind_each_other) {
    BatchWork work;
    work.bytes = 3e-3 * BatchGpu{}.memory;
    work.counts[0] = 4e6;
    BatchCosts costs{Type::d, "some", 0, 1, {1}};
    EXPECT_NEAR(seconds_of(work, costs), 7e-3, 1e-9);
    costs.power = 2;
    EXPECT_NEAR(seconds_of(work, costs), 5e-3, 1e-9);
    costs.power = 5;
    EXPECT_LT(seconds_of(work, costs), 4.2e-3);
    EXPECT_GT(seconds_of(work, costs), 4e-3);
}

/// Of every three measurements one was disturbed, and took half as long again.
TEST(BatchEstimate, what_was_disturbed_counts_less) {
    const BatchCosts made{Type::d, "some", 4000, 2, {0, 200, 90, 0, 0, 500, 0, 0}};
    const std::vector<MeasuredWork> quiet = measured_by(made);
    std::vector<MeasuredWork> measured = quiet;
    for (std::size_t i = 0; i < measured.size(); i += 3) measured[i].seconds *= 1.5;
    const auto off = [&](double longer) {
        const BatchCosts found = fit_costs(measured, {}, longer);
        double sum = 0;
        for (const MeasuredWork& m : quiet) sum += seconds_of(m.work, found) / m.seconds - 1;
        return sum / static_cast<double>(quiet.size());
    };
    EXPECT_GT(off(1), 0.05);
    EXPECT_LT(off(0.5), 0.7 * off(1));
    EXPECT_GT(off(0.5), -0.02);
}

TEST(BatchEstimate, rows_are_read_as_they_are_written) {
    const BatchCosts costs{Type::z, "stage3x3", 4200, 1.5, {0.5, 1, 0, 2.25, 1e-3, 0, 7, 0}};
    BatchCosts read;
    ASSERT_TRUE(parse_costs(to_text(costs), read));
    EXPECT_EQ(read, costs);
    EXPECT_FALSE(parse_costs("d stage3x3 1 2 3", read));
    EXPECT_FALSE(parse_costs("x stage3x3 1 2 0 0 0 0 0 0 0 0", read));
    EXPECT_FALSE(parse_costs(to_text(costs) + " 1", read));
    EXPECT_EQ(parse_all_costs("# none\n\n" + to_text(costs) + " # one\nnonsense\n").size(), 1U);
}

/// It faults where pointers to 16-bit elements are not aligned as sizes are.
TEST(BatchEstimate, cublas_takes_pointers_that_are_aligned_as_it_expects) {
    const void* const somewhere = nullptr;
    alignas(16) const std::array<std::uint16_t, 8> halves{};
    Batch x = batch_of(100, 20, 50, 200);
    Batch listed = x;
    listed.a.array = listed.b.array = listed.c.array = &somewhere;
    for (const Type type : {Type::s, Type::d, Type::c, Type::z}) {
        x.type = listed.type = type;
        EXPECT_TRUE(cublas_takes_pointers(x));
        EXPECT_TRUE(cublas_takes_pointers(listed));
    }
    for (const Type type : {Type::h, Type::b}) {
        x.type = listed.type = type;
        x.k = listed.k = {50};
        EXPECT_FALSE(cublas_takes_pointers(listed)) << "nobody knows where they point to";
        EXPECT_TRUE(cublas_takes_pointers(x));
        Batch moved = x;
        moved.b.data = &halves[1];
        EXPECT_FALSE(cublas_takes_pointers(moved));
        moved = x;
        moved.c.stride = 2001;
        EXPECT_FALSE(cublas_takes_pointers(moved));
        listed.k = {51};
        EXPECT_TRUE(cublas_takes_pointers(listed));
    }
}

TEST(BatchEstimate, what_cublas_is_called) {
    Batch x = batch_of(20, 1, 5, 3);
    EXPECT_EQ(cublas_name(x, false), "cublas:strided1n");
    x.op_b = {Op::ConjTrans};
    EXPECT_EQ(cublas_name(x, false), "cublas:strided1nc");
    EXPECT_EQ(cublas_name(x, true), "cublas:pointers1nc");
    x = batch_of(1, 20, 5, 3);
    EXPECT_EQ(cublas_name(x, false), "cublas:strided1t");
    x = batch_of(20, 8, 5, 3);
    EXPECT_EQ(cublas_name(x, false), "cublas:strided8");
    x.n = {9};
    EXPECT_EQ(cublas_name(x, true), "cublas:pointers");
}

TEST(BatchEstimate, batches_that_stay_in_the_cache) {
    EXPECT_TRUE(is_few(batch_of(64, 64, 64, 100)));
    EXPECT_FALSE(is_few(batch_of(64, 64, 64, 1000)));
    BatchGpu larger;
    larger.cache = 1e9;
    EXPECT_TRUE(is_few(batch_of(64, 64, 64, 1000), larger));
}

TEST(BatchEstimate, what_costs_are_called) {
    Batch x = batch_of(64, 64, 64, 1000);
    EXPECT_EQ(costs_name(x, "stage3x3"), "stage3x3");
    EXPECT_EQ(costs_name(x, "cublas"), "cublas:strided");
    EXPECT_EQ(costs_name(x, "cublas:pointers"), "cublas:pointers");
    x.count = 10;
    EXPECT_EQ(costs_name(x, "stage3x3"), "stage3x3@few");
    EXPECT_EQ(costs_name(x, "cublas:pointers"), "cublas:pointers@few");
    const void* const none = nullptr;
    x.a.array = x.b.array = x.c.array = &none;
    EXPECT_EQ(costs_name(x, "stage3x3"), "stage3x3@few");
    EXPECT_EQ(costs_name(x, "cublas"), "cublas:pointers@few");
    x.count = 1000;
    EXPECT_EQ(costs_name(x, "stage3x3"), "stage3x3@pointers");
    EXPECT_EQ(costs_name(x, "cublas"), "cublas:pointers");
}

/// A kernel must be foretold to be faster by some, and pointers that are not there have to be made.
TEST(BatchEstimate, how_cublas_is_offered) {
    Batch x = batch_of(64, 64, 64, 1000);
    EXPECT_LT(seconds_as_offered(x, false, 1e-4), 1e-4);
    EXPECT_GT(seconds_as_offered(x, false, 1e-4), 0.8e-4);
    const double made = seconds_as_offered(x, true, 1e-4);
    EXPECT_GT(made, seconds_as_offered(x, false, 1e-4));
    x.count *= 1000;
    EXPECT_GT(seconds_as_offered(x, true, 1e-4), made);
    const void* const none = nullptr;
    x.a.array = x.b.array = x.c.array = &none;
    EXPECT_DOUBLE_EQ(seconds_as_offered(x, true, 1e-4), seconds_as_offered(x, false, 1e-4));
}

/// Costs that are compiled in: kernels of every type, all of which are there.
TEST(BatchEstimate, the_costs_that_are_compiled_in) {
    const std::string kernels = GEMMILL_TEST_DATA "/../src/kernel/cuda";
    const auto text_of = [&](const std::string& file) {
        std::stringstream text;
        text << std::ifstream(kernels + "/" + file).rdbuf();
        return text.str();
    };
    const std::vector<BatchCosts> all = parse_all_costs(text_of("tuned/sm90.costs"));
    std::string sources;
    for (const char* file :
         {"compiled/s.cu", "compiled/d.cu", "compiled/complex.cuh", "compiled/short.cuh"})
        sources += text_of(file);
    std::array<std::map<std::string, int>, type_count> of_type;
    for (const BatchCosts& costs : all) {
        const std::size_t at = costs.kernel.find('@');
        const std::string name = costs.kernel.substr(0, at);
        const bool is_call = name.starts_with("cublas:");
        const std::string ending = at == std::string::npos ? "" : costs.kernel.substr(at);
        ++of_type[static_cast<std::size_t>(costs.type)][is_call ? "cublas" : ending];
        EXPECT_TRUE(is_call || sources.find("\"" + name + "\"") != std::string::npos)
            << to_text(costs);
    }
    for (auto& count : of_type)
        for (const std::string_view kind :
             {std::string_view("cublas"), std::string_view(""), few_ending, pointers_ending})
            EXPECT_GT(count[std::string(kind)], 5) << kind;
}

}  // namespace
}  // namespace gemmill::test
