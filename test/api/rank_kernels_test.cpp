// SPDX-License-Identifier: Apache-2.0
#include "api/rank_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "gemmill/error.hpp"
#include "kernel/cpu/host/host_library.hpp"

namespace gemmill::test {
namespace {

Options devices(const char* names, std::int64_t cap = 0) {
    Options options;
    options.devices = names, options.device_memory = cap;
    return options;
}

void wait_for(const HasEnded& has_ended) {
    while (!has_ended()) std::this_thread::yield();
}

GemmArgs product(index_t n, const double* a, const double* b, void* c, double beta) {
    return {Type::d, Op::NoTrans, Op::NoTrans, n, n, n, {1, 0}, a, n, b, n, {beta, 0}, c, n};
}

TEST(RankKernels, room_is_half_of_the_one_device_of_a_context_without_a_cap) {
    const Context one(devices("cpu:1"));
    EXPECT_GT(room_for_sums(one), 0);
    EXPECT_EQ(room_for_sums(one), one.machine().memories.at(1).capacity / 2);
    EXPECT_EQ(room_for_sums(Context(devices("cpu:2"))), 0);
    EXPECT_EQ(room_for_sums(Context(devices("cpu:1", 1 << 20))), 0);
    EXPECT_EQ(room_for_sums(Context(devices("cpu"))), 0);
}

TEST(RankKernels, sums_stay_on_the_device_from_product_to_product) {
    constexpr index_t n = 200;
    Context context(devices("cpu:1"));
    std::atomic<int> calls = 0, elsewhere = 0;
    context.observe([&](const Report& report) {
        ++calls;
        elsewhere += report.problem.home[2] != report.plan.machine.devices[0].memory;
    });
    LocalKernels kernels = rank_kernels(context, {1 << 20, 2});
    std::byte* sums = kernels.device.sums(n * n * 8);
    ASSERT_NE(sums, nullptr);
    EXPECT_EQ(kernels.device.sums(2 << 20), nullptr);
    const std::vector<double> a(n * n, 1), b(n * n, 2);
    kernels.device.begin({{}, {product(n, a.data(), b.data(), sums, 0)}});
    wait_for(kernels.device.begin({{}, {product(n, a.data(), b.data(), sums, 1)}}).ended);
    std::vector<double> c(n * n);
    kernels.memory.copy(c.data(), sums, n * n * 8);
    EXPECT_EQ(std::ranges::count(c, 4.0 * n), n * n);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(elsewhere, 0);
}

TEST(RankKernels, a_product_that_fails_says_so) {
    Context context(devices("cpu:1"));
    const LocalKernels kernels = rank_kernels(context, {});
    EXPECT_FALSE(kernels.device.sums);
    std::vector<double> a(16), c(16);
    GemmArgs bad = product(4, a.data(), a.data(), c.data(), 0);
    bad.lda = 1;
    EXPECT_THROW(wait_for(kernels.device.begin({{}, {bad}}).ended), Error);
}

TEST(RankKernels, panels_are_copied_before_their_products) {
    constexpr index_t n = 100, bytes = n * n * 8;
    Context context(devices("cpu:1"));
    LocalKernels kernels = rank_kernels(context, {1 << 20, 2});
    std::byte* sums = kernels.device.sums(3 * bytes);
    const std::vector<double> a(n * n, 1), b(n * n, 2);
    GemmArgs there = product(n, a.data(), b.data(), sums, 0);
    there.a = sums + bytes, there.b = sums + 2 * bytes;
    const DeviceTask task = kernels.device.begin(
        {{{sums + bytes, a.data(), bytes}, {sums + 2 * bytes, b.data(), bytes}}, {there}});
    wait_for(task.copied);
    wait_for(task.ended);
    std::vector<double> c(n * n);
    kernels.memory.copy(c.data(), sums, bytes);
    EXPECT_EQ(std::ranges::count(c, 2.0 * n), n * n);
    const DeviceTask bad =
        kernels.device.begin({{{sums, a.data(), std::int64_t{1} << 40}}, {there}});
    EXPECT_THROW(wait_for(bad.copied), Error);
    EXPECT_THROW(wait_for(bad.ended), Error);
}

/// In the order of jobs; what it throws is told to whoever waits.
TEST(RankKernels, whoever_is_named_makes_the_products_instead) {
    constexpr index_t n = 20;
    Context context(devices("cpu:1"));
    LocalKernels kernels = rank_kernels(context, {1 << 20, 1});
    std::atomic<int> calls = 0, given = 0, calls_before = -1;
    context.observe([&](const Report&) { ++calls; });
    const std::vector<double> a(n * n, 1), b(n * n, 2);
    std::vector<double> c(n * n);
    const GemmArgs args = product(n, a.data(), b.data(), c.data(), 0);
    const DeviceTask first = kernels.device.begin({{}, {args}});
    const DeviceTask second =
        kernels.device.begin({{}, {args, args}, [&](const std::vector<GemmArgs>& products) {
                                  calls_before = calls.load();
                                  given = static_cast<int>(products.size());
                              }});
    wait_for(first.ended);
    wait_for(second.ended);
    EXPECT_EQ(given, 2);
    EXPECT_EQ(calls_before, 1);
    EXPECT_EQ(calls, 1);
    const auto never = [](const auto&) { throw Error(Code::failed_step, "silent"); };
    EXPECT_THROW(wait_for(kernels.device.begin({{}, {args}, never}).ended), Error);
}

/// Whoever opened the host BLAS gave it more threads than this rank's share of the cores.
TEST(RankKernels, products_on_the_host_have_no_more_threads_than_they_are_told) {
    constexpr index_t n = 200;
    Context context(devices("cpu"));
    const int before = host_blas_threads();
    if (before < 2) GTEST_SKIP() << "it has one thread";
    RankRoom room;
    room.host_threads = 1;
    const LocalKernels kernels = rank_kernels(context, room);
    const std::vector<double> a(n * n, 1), b(n * n, 2);
    std::vector<double> c(n * n);
    std::atomic<bool> was_seen = false;
    {
        const std::jthread caller([&] {
            while (!was_seen) kernels.gemm(product(n, a.data(), b.data(), c.data(), 0));
        });
        while (host_blas_threads() != 1) std::this_thread::yield();
        was_seen = true;
    }
    EXPECT_EQ(host_blas_threads(), before);
    EXPECT_EQ(std::ranges::count(c, 2.0 * n), n * n);
}

TEST(RankKernels, what_runs_aside_is_waited_for) {
    Context context(devices("cpu:1"));
    const LocalKernels kernels = rank_kernels(context, {});
    std::atomic<bool> may_end = false, has_ended = false;
    {
        const std::shared_ptr<void> work = kernels.device.aside([&] {
            while (!may_end) std::this_thread::yield();
            has_ended = true;
        });
        EXPECT_FALSE(has_ended);  // it is another thread's
        may_end = true;
    }
    EXPECT_TRUE(has_ended);
}

TEST(RankKernels, each_takes_all_of_them_once) {
    Context context(devices("cpu:1"));
    const LocalKernels kernels = rank_kernels(context, {0, 3});
    std::vector<std::atomic<int>> taken(10);
    EXPECT_EQ(kernels.workers, 3U);
    kernels.each(taken.size(), [&](std::size_t i, std::size_t worker) {
        EXPECT_LT(worker, kernels.workers);
        ++taken[i];
    });
    for (const auto& x : taken) EXPECT_EQ(x, 1);
    Context host(devices("cpu"));
    EXPECT_FALSE(rank_kernels(host, {0, 3}).each);
    EXPECT_FALSE(rank_kernels(host, {0, 3}).device.begin);
}

}  // namespace
}  // namespace gemmill::test
