// SPDX-License-Identifier: Apache-2.0
// Three CPU devices, each with memory of its own; watch the run and keep its trace.
#include <complex>
#include <iostream>
#include <vector>

#include "gemmill/gemmill.hpp"

int main() {
    using Number = std::complex<float>;
    const gemmill::index_t n = 384;
    const Number i{0, 1};
    std::vector<Number> a(n * n, i), b(n * n, i), c(n * n, Number{1, 0});

    gemmill::Options options;
    options.devices = "cpu:3";
    options.tile = 128;
    options.trace = "04_devices.json";  // opens in Perfetto and in Chrome
    gemmill::Context context(options);

    bool seen = false;
    context.observe([&](const gemmill::Report& report) {
        seen = true;
        std::cout << report.plan.steps.size() << " steps on " << report.plan.devices.size()
                  << " devices: " << report.seconds << " s, predicted "
                  << report.plan.prediction.seconds << " s\n";
    });
    gemmill::gemm(context, gemmill::Layout::ColMajor, gemmill::Op::NoTrans, gemmill::Op::ConjTrans,
                  n, n, n, Number{1}, a.data(), n, b.data(), n, Number{2}, c.data(), n);

    // i times conj(i) is 1, n times; plus 2 C.
    const Number right{static_cast<float>(n + 2), 0};
    for (const Number& x : c)
        if (std::abs(x - right) > 1e-3F) return 1;
    return seen ? 0 : 1;
}
