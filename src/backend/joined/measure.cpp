// SPDX-License-Identifier: Apache-2.0
#include "backend/joined/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace gemmill {

double measured_rate(const CpuKernels& cpu, const ThinProduct& thin) {
    using Clock = std::chrono::steady_clock;
    constexpr int calls = 4;
    const auto elements = [](index_t rows, index_t cols) {
        return std::vector<double>(static_cast<std::size_t>(rows * cols), 0.5);
    };
    const std::vector<double> a = elements(thin.m, thin.k), b = elements(thin.k, thin.n);
    std::vector<double> c = elements(thin.m, thin.n);
    GemmArgs g;
    g.m = thin.m, g.n = thin.n, g.k = thin.k;
    g.alpha = {1, 0};
    g.a = a.data(), g.lda = thin.m;
    g.b = b.data(), g.ldb = thin.k;
    g.c = c.data(), g.ldc = thin.m;
    double least = std::numeric_limits<double>::infinity();
    for (int call = 0; call < calls; ++call) {
        const auto start = Clock::now();
        cpu.run([&] { cpu.kernels.gemm(g); });
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (call > 0) least = std::min(least, seconds);
    }
    return 2.0 * static_cast<double>(thin.m * thin.n * thin.k) / std::max(least, 1e-9);
}

int cores_left(int cores) {
    constexpr int few = 4;  // of so many a second one is too much
    if (cores <= 1) return 0;
    return cores <= few ? 1 : 2;
}

}  // namespace gemmill
