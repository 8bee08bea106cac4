// SPDX-License-Identifier: Apache-2.0
// Products of many shapes on the CPU: the sort, and the kernels of the classes behind it.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/many_shapes/ring.cuh"
#include "kernel/cuda/many_shapes/sort.cuh"
#include "kernel/cuda/tile/fma.cuh"
#include "kernel/cuda/tile/mma.cuh"
#include "kernel/cuda/tile/pipe.cuh"

namespace gemmill::test {
namespace {

/// Memory for a sort.
struct Room {
    Room(index_t count, index_t most)
        : counts(bins),
          filled(bins),
          far(1),
          ranges(tile_classes + 1),
          taken(tile_classes),
          far_products(static_cast<std::size_t>(count)),
          lists(static_cast<std::size_t>(list_classes * count)),
          far_first(static_cast<std::size_t>(count)),
          jobs(static_cast<std::size_t>(most)) {}
    Sorted sorted() {
        return {counts.data(),    filled.data(),
                ranges.data(),    taken.data(),
                far.data(),       far_products.data(),
                far_first.data(), lists.data(),
                jobs.data(),      static_cast<index_t>(jobs.size())};
    }

    std::vector<Sorted::Count> counts, filled, far;
    std::vector<int> ranges, taken, far_products, lists;
    std::vector<index_t> far_first;
    std::vector<Job<double>> jobs;
};

template <class Tile>
void run_jobs(const Batch& x, const Sorted& s, int q) {
    static_assert(pipe_bytes<Tile, double, JobList> <= emulated::shared_bytes);
    run(3, Tile::threads, [&] {
        pipe_kernel<Tile, double, JobList, 1>(x, {s.jobs, s.ranges + q, s.taken + q});
    });
}

/// Products of many shapes: the sort, and then the kernel of each class. With little room for jobs
/// most larger products are far.
void run_many_shapes(const Batch& x, index_t jobs) {
    using T = double;
    constexpr ClassLimits limits{{in_tile(8, 8), in_tile(16, 16), in_tile(24, 64), in_ring(1536)},
                                 {{64, 32, 1.0F}, {48, 24, 1.2F}, {32, 16, 2.0F}}};
    Room room(x.count, jobs);
    const Sorted s = room.sorted();
    run(3, 64, [&] { count_kernel<64>(x, limits, s); });
    run(3, 64, [&] { deal_kernel<T, 64>(x, limits, s); });
    EXPECT_EQ(room.counts, room.filled);
    const auto list = [&](int q) { return Listed{s.lists + q * x.count, s.counts + q}; };
    run(2, 64, [&] { mma_pack_kernel<MmaTile<T, 8, 8, 1, 1, 1, 1>, T, Listed, 64>(x, list(0)); });
    run(2, 64, [&] { mma_pack_kernel<MmaTile<T, 16, 16, 1, 2, 1, 1>, T, Listed, 64>(x, list(1)); });
    run(2, 64, [&] { mma_kernel<MmaTile<T, 8, 8, 3, 3, 1, 1>, T, Listed, 64>(x, list(2)); });
    using Ring = RingMmaTile<T, 1536, 16, 4, 1, 2, 1, 1>;
    run(2, Ring::threads, [&] { ring_kernel<Ring, Listed>(x, list(3)); });
    run_jobs<PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>>(x, s, 0);
    run_jobs<PipeTile<T, 8, 8, 3, 3, 2, 2, 16, 2>>(x, s, 1);
    run_jobs<PipeTile<T, 16, 8, 1, 2, 2, 2, 16, 4>>(x, s, 2);
    using Far = FmaTile<T, 2, 4, 2, 2, 8>;
    run(2, Far::threads, [&] {
        fma_kernel<Far, T, TileList>(x, {s.far, s.far_products, s.far_first});
    });
}

TEST(BatchKernels, many_shapes) {
    for (const index_t jobs : {1000, 40, 0}) {
        Random random(8);
        std::vector<GemmCase> products;
        for (int p = 0; p < 150; ++p) {
            const index_t edges[] = {8, 16, 24, 32, 33, 70, 150};
            products.push_back(product(random, Type::d, random.pick(edges), 40));
            if (random.chance(5)) products.back().m = 0;
        }
        products[3].k = 600, products[5].k = 130, products[7].n = 260;
        BatchCase batch(products, random);
        run_many_shapes(batch.variable(), jobs);
        ASSERT_TRUE(batch.check());
    }
}

TEST(BatchKernels, long_jobs_are_first) {
    EXPECT_EQ(level_of(0), levels - 1);
    EXPECT_EQ(level_of(index_t{1} << 40), 0);
    for (index_t k = 1; k < 5000; ++k) EXPECT_LE(level_of(k + 1), level_of(k));
    EXPECT_LT(level_of(512), level_of(256));
}

}  // namespace
}  // namespace gemmill::test
