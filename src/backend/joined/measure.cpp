// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

namespace gemmill {
namespace {

/// Zeros and ones draw less power than data do, and run faster.
std::vector<double> random_elements(index_t count) {
    std::vector<double> all(static_cast<std::size_t>(count));
    std::minstd_rand bits(1);
    constexpr double range = std::minstd_rand::max();
    for (double& x : all) x = 2 * static_cast<double>(bits()) / range - 1;
    return all;
}

double seconds_of(const CpuKernels& cpu, const GemmArgs& product) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    cpu.run([&] { cpu.kernels.gemm(product); });
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

NarrowProducts narrow_products(int threads) {
    // Rows of each thread: with fewer, some threads have noticeably more whole blocks of rows than
    // others, and starting them is felt. What the CPU is given has thousands of rows.
    constexpr index_t rows = 512, most = 1 << 14;
    // The sum is one or two passes of a host BLAS, of which a long one has many.
    constexpr index_t k = 512;
    // From a fiftieth of 3200 lines, less than which is not given to a CPU (worth_the_cpu), to
    // where packing is a hundredth of the work. What lies between follows from the marks.
    return {std::min(rows * std::max(threads, 1), most), k, {64, 256, 1024}};
}

std::vector<double> measured_rates(const CpuKernels& cpu, const NarrowProducts& products) {
    constexpr int calls = 4;
    const index_t m = products.m, k = products.k, most = products.lines.back();
    const std::vector<double> a = random_elements(m * k), b = random_elements(k * most);
    std::vector<double> c(static_cast<std::size_t>(m * most));
    GemmArgs g;
    g.m = m, g.k = k;
    g.alpha = {1, 0};
    g.a = a.data(), g.lda = m;
    g.b = b.data(), g.ldb = k;
    g.c = c.data(), g.ldc = m;
    std::vector<double> rates;
    for (const index_t lines : products.lines) {
        g.n = lines;
        double least = std::numeric_limits<double>::infinity();
        for (int call = 0; call < calls; ++call) {
            const double seconds = seconds_of(cpu, g);
            if (call > 0) least = std::min(least, seconds);
        }
        const double rate = 2.0 * static_cast<double>(m * lines * k) / std::max(least, 1e-9);
        rates.push_back(rates.empty() ? rate : std::max(rate, rates.back()));
    }
    return rates;
}

int cores_left(int cores) {
    constexpr int few = 4;  // of so many a second one is too much
    if (cores <= 1) return 0;
    return cores <= few ? 1 : 2;
}

}  // namespace gemmill
