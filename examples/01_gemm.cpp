// SPDX-License-Identifier: Apache-2.0
// C = A B on what the machine has: no set-up, ordinary BLAS arguments.
#include <cmath>
#include <iostream>
#include <vector>

#include "gemmill/gemmill.hpp"

int main() {
    const gemmill::index_t m = 300, n = 200, k = 100;
    std::vector<double> a(m * k), b(k * n, 0.5), c(m * n);
    for (gemmill::index_t i = 0; i < m * k; ++i) a[i] = static_cast<double>(i % m);

    try {
        gemmill::gemm(gemmill::Layout::ColMajor, gemmill::Op::NoTrans, gemmill::Op::NoTrans, m, n,
                      k, 1.0, a.data(), m, b.data(), k, 0.0, c.data(), m);
    } catch (const gemmill::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }

    // Row i of A is filled with i, so that row i of C is filled with i k / 2.
    double worst = 0;
    for (gemmill::index_t i = 0; i < m * n; ++i)
        worst = std::max(worst, std::abs(c[i] - 0.5 * static_cast<double>((i % m) * k)));
    std::cout << "Gemmill " << GEMMILL_VERSION << ", largest error " << worst << '\n';
    return worst < 1e-9 ? 0 : 1;
}
