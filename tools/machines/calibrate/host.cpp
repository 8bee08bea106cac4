// SPDX-License-Identifier: Apache-2.0
#include "machines/calibrate/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "command/console.hpp"
#include "command/stopwatch.hpp"
#include "gemmill/context.hpp"
#include "gemmill/gemm.hpp"

namespace gemmill::command {
namespace {

constexpr index_t edge = 1024;
constexpr std::size_t copy_bytes = std::size_t{32} << 20;  // of each thread: more than caches hold
constexpr double budget = 0.25;                            // seconds of each measurement
constexpr int most_threads = 64;

/// The shortest of several runs, until the budget is spent.
template <class F>
double shortest(F f) {
    f();  // the first one starts threads and touches pages
    double best = 1e300;
    for (const Stopwatch all; all.seconds() < budget;) {
        const Stopwatch one;
        f();
        best = std::min(best, one.seconds());
    }
    return best;
}

template <class T>
double gemm_rate(Context& context) {
    const std::vector<T> a(edge * edge, T(0.5)), b(edge * edge, T(0.25));
    std::vector<T> c(edge * edge);
    const double seconds = shortest([&] {
        gemm<T>(context, Layout::ColMajor, Op::NoTrans, Op::NoTrans, edge, edge, edge, 1, a.data(),
                edge, b.data(), edge, 0, c.data(), edge);
    });
    return 2.0 * edge * edge * edge / seconds;
}

/// Bytes copied per second by all cores together.
double copy_rate(int threads) {
    const auto count = static_cast<std::size_t>(threads);
    std::vector<char> from(count * copy_bytes, 1), to(count * copy_bytes);
    const double seconds = shortest([&] {
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < count; ++i)
            all.emplace_back([&, i] {
                std::memcpy(to.data() + i * copy_bytes, from.data() + i * copy_bytes, copy_bytes);
            });
    });
    return static_cast<double>(count * copy_bytes) / seconds;
}

}  // namespace

Machine calibrated(Machine host, int cores) {
    const Progress progress("measuring");
    Options options;
    options.devices = "cpu";
    Context context(options);
    const double d = gemm_rate<double>(context), s = gemm_rate<float>(context);
    const double h = gemm_rate<half>(context), b = gemm_rate<bfloat16>(context);
    const int threads = std::clamp(cores, 1, most_threads);
    const double copied = copy_rate(threads);
    Device& cpu = host.devices.front();
    cpu.peak = {s, d, s, d, h, b};
    cpu.bandwidth = 2 * copied;
    cpu.origin = fmt::format(
        "measured: dgemm, sgemm, hgemm and bgemm with n = {}, memcpy by {} threads, which reads "
        "and "
        "writes; c like s, z like d; launch is assumed",
        edge, threads);
    Link& link = host.links.front();
    link.bandwidth = copied;
    link.origin = fmt::format("measured: memcpy by {} threads; latency is assumed", threads);
    return host;
}

}  // namespace gemmill::command
