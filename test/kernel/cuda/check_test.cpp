// SPDX-License-Identifier: Apache-2.0
// What is wrong with products of a batch, looked at on the CPU.
#include <limits>

#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/check.cuh"

namespace gemmill::test {
namespace {

TEST(BatchKernels, the_first_bad_product) {
    constexpr int of_a = 9, of_ldc = 15;  // BatchArgument
    Random random(9);
    std::vector<GemmCase> products;
    for (int p = 0; p < 100; ++p) products.push_back(product(random, Type::d, 9, 9));
    products[70].beta = {0, 0};
    BatchCase batch(products, random);
    Batch x = batch.variable();
    const auto find = [&] {
        unsigned long long found = ~0ULL;
        run(2, 64, [&] { check_kernel<double>(x, &found); });
        return static_cast<long long>(found);
    };
    EXPECT_EQ(find(), -1);
    std::vector<index_t> ldc(x.c.ld.each, x.c.ld.each + x.count);
    ldc[80] = 0, ldc[70] = products[70].m - 1;
    x.c.ld.each = ldc.data();
    EXPECT_EQ(find(), (70 << 8) + of_ldc);
    std::vector<const void*> a(x.a.array, x.a.array + x.count);
    a[20] = nullptr;
    x.a.array = a.data();
    const bool needed = products[20].multiplies();
    EXPECT_EQ(find(), needed ? (20 << 8) + of_a : (70 << 8) + of_ldc);
    // More than memory can hold.
    std::vector<index_t> n(x.n.each, x.n.each + x.count);
    n[5] = 9, ldc[5] = std::numeric_limits<index_t>::max() / 60;
    x.n.each = n.data();
    EXPECT_EQ(find(), (5 << 8) + of_ldc);
}

}  // namespace
}  // namespace gemmill::test
