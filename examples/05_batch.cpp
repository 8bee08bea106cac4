// SPDX-License-Identifier: Apache-2.0
// Many small products in one call: first of one shape, then each of its own.
#include <iostream>
#include <vector>

#include "gemmill/gemmill.hpp"

int main() {
    using gemmill::index_t;
    using gemmill::Op;
    const index_t n = 4, count = 10000;
    std::vector<double> a(n * n * count, 1.0), b(n * n * count, 2.0), c(n * n * count, 0.0);
    gemmill::Context context;
    gemmill::gemm_strided<double>(context, gemmill::Layout::ColMajor, Op::NoTrans, Op::NoTrans, n,
                                  n, n, 1.0, a.data(), n, n * n, b.data(), n, n * n, 0.0, c.data(),
                                  n, n * n, count);
    for (const double x : c)
        if (x != 8) return 1;

    // Product i has i % 4 + 1 rows; everything else is alike.
    std::vector<index_t> rows;
    std::vector<const double*> of_a, of_b;
    std::vector<double*> of_c;
    for (index_t i = 0; i < count; ++i) {
        rows.push_back(i % 4 + 1);
        of_a.push_back(a.data() + i * n * n);
        of_b.push_back(b.data() + i * n * n);
        of_c.push_back(c.data() + i * n * n);
    }
    gemmill::BatchOptions options;
    options.check = true;
    gemmill::gemm_variable<double>(context, gemmill::Layout::ColMajor, {Op::NoTrans}, {Op::NoTrans},
                                   {n, rows.data()}, {n}, {n}, {0.5}, of_a.data(), {n}, of_b.data(),
                                   {n}, {1.0}, of_c.data(), {n}, count, options);
    for (index_t i = 0; i < count; ++i)
        for (index_t j = 0; j < n * n; ++j)
            if (of_c[i][j] != (j % n < rows[i] ? 12 : 8)) return 1;
    std::cout << 2 * count << " products are right\n";
}
