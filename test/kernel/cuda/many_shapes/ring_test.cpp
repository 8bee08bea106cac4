// SPDX-License-Identifier: Apache-2.0
// Products of many shapes in rings of shared memory, run on the CPU.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/many_shapes/ring.cuh"

namespace gemmill::test {
namespace {

/// Products of many shapes that a ring has room for, some of them long and thin, each with leading
/// dimensions of its own.
template <class Tile, int edge>
void sweep_ring() {
    static_assert(Tile::bytes <= static_cast<int>(emulated::shared_bytes));
    Random random(17);
    for (int i = 0; i < affordable(6); ++i) {
        std::vector<GemmCase> products;
        for (int p = 0; p < 40; ++p)
            products.push_back(product(random, device_type<typename Tile::T>,
                                       random.chance(20) ? edge : 1 + edge / 2, edge,
                                       random.chance(10)));
        products[4].m = 1, products[4].n = 2, products[4].k = edge * edge - 2;
        products[9].n = 1, products[9].k = 1, products[9].m = edge * edge;
        products[14].m = 2, products[14].k = 3, products[14].n = edge * edge / 2;
        BatchCase batch(products, random);
        std::vector<int> list;
        for (int p = static_cast<int>(products.size()) - 1; p >= 0; p -= 1 + i % 2)
            list.push_back(p);
        std::vector<int> rest;
        for (int p = static_cast<int>(products.size()) - 2; i % 2 == 1 && p >= 0; p -= 2)
            rest.push_back(p);
        for (const std::vector<int>& some : {list, rest}) {
            const unsigned long long length = some.size();
            run(3, Tile::threads, [&] {
                ring_kernel<Tile, Listed>(batch.variable(), {some.data(), &length});
            });
        }
        ASSERT_TRUE(batch.check());
    }
}

TEST(BatchKernels, rings) {
    sweep_ring<RingTile<double, 3072, 4, 4, 1, 1>, 32>();
    sweep_ring<RingTile<float, 1536, 3, 3, 1, 1>, 24>();
    sweep_ring<RingTile<cuFloatComplex, 1536, 2, 2, 2, 1>, 24>();
    sweep_ring<RingMmaTile<double, 1536, 16, 4, 1, 2, 1, 1>, 24>();
    sweep_ring<RingMmaTile<double, 3072, 16, 8, 1, 2, 2, 1>, 32>();
    sweep_ring<RingMmaTile<double, 6144, 16, 8, 2, 2, 4, 1>, 44>();
    sweep_ring<RingMmaTile<float, 768, 16, 4, 1, 1, 1, 1>, 16>();
    sweep_ring<RingMmaTile<cuDoubleComplex, 1536, 8, 8, 1, 2, 1, 1>, 24>();
    sweep_ring<RingMmaTile<__half, 1536, 16, 16, 1, 2, 1, 1>, 24>();
}

}  // namespace
}  // namespace gemmill::test
