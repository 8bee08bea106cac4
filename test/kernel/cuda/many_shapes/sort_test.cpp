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

/// What blocks of a kernel have told those in front of it and behind it, in threads.
struct Told {
    int asked_for_next, waited_for_earlier;
    bool operator==(const Told&) const = default;
};
template <class F>
Told told(int blocks, int threads, F kernel) {
    emulated::asked_for_next = emulated::waited_for_earlier = 0;
    run(blocks, threads, kernel);
    return {emulated::asked_for_next, emulated::waited_for_earlier};
}

/// A kernel lets the ring behind it begin at once if that has no more products than it has on their
/// way at once. Its own number does not matter.
TEST(BatchKernels, rings_begin_early_where_they_have_few_products) {
    using Ring = RingMmaTile<double, 1536, 16, 4, 1, 2, 1, 1>;
    using Pipe = PipeTile<double, 16, 8, 1, 2, 2, 2, 16, 4>;
    static_assert(RingBlock<Ring>::at_once == 2);
    constexpr int blocks = 3;
    Random random(23);
    std::vector<GemmCase> products;
    for (int p = 0; p < 10; ++p) products.push_back(product(random, Type::d, 20, 20));
    const std::vector<int> list{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const auto asked_by_ring = [&](unsigned long long own, const RingBehind& behind) {
        BatchCase batch(products, random);
        const Batch x = batch.variable();
        const Told found = told(blocks, Ring::threads, [&] {
            ring_kernel<Ring, Listed>(x, {list.data(), &own, behind});
        });
        EXPECT_TRUE(own < list.size() || batch.check());
        EXPECT_EQ(found.waited_for_earlier, Ring::threads);
        return found.asked_for_next / Ring::threads;
    };
    const auto asked_by_jobs = [&](const RingBehind& behind) {
        Room room(1, 1);
        const Sorted s = room.sorted();
        return told(blocks, Pipe::threads,
                    [&] {
                        pipe_kernel<Pipe, double, JobList, 1>({},
                                                              {s.jobs, s.ranges, s.taken, behind});
                    })
                   .asked_for_next /
               Pipe::threads;
    };
    const auto expect = [&](const RingBehind& behind, int asked) {
        for (const unsigned long long own : {0ULL, 1ULL, 10ULL})
            EXPECT_EQ(asked_by_ring(own, behind), asked);
        EXPECT_EQ(asked_by_jobs(behind), asked);
    };
    expect({}, blocks);
    for (const unsigned long long length : {0ULL, 1ULL, 8ULL}) expect({&length, 8}, blocks);
    for (const unsigned long long length : {9ULL, 1ULL << 40}) expect({&length, 8}, 0);
}

/// One block of a kernel stays until the one before has ended, also where there is nothing to do:
/// others that stayed would keep the next kernel from beginning.
TEST(BatchKernels, one_block_waits_for_the_kernel_before) {
    Random random(24);
    BatchCase batch({product(random, Type::d, 8, 8)}, random);
    const Batch x = batch.variable();
    Room room(x.count, 1);
    const Sorted s = room.sorted();
    constexpr int blocks = 4;
    const auto expected = [](int threads) { return Told{blocks * threads, threads}; };
    using Pack = MmaTile<double, 8, 8, 1, 1, 1, 1>;
    const Listed none{s.lists, s.counts};
    EXPECT_EQ(told(blocks, 64, [&] { mma_pack_kernel<Pack, double, Listed, 64>(x, none); }),
              expected(64));
    using Pipe = PipeTile<double, 16, 8, 1, 2, 2, 2, 16, 4>;
    EXPECT_EQ(told(blocks, Pipe::threads,
                   [&] {
                       pipe_kernel<Pipe, double, JobList, 1>(x, {s.jobs, s.ranges, s.taken});
                   }),
              expected(Pipe::threads));
    using Far = FmaTile<double, 2, 4, 2, 2, 8>;
    EXPECT_EQ(told(blocks, Far::threads,
                   [&] {
                       fma_kernel<Far, double, TileList>(x, {s.far, s.far_products, s.far_first});
                   }),
              expected(Far::threads));
    EXPECT_TRUE(batch.untouched());
}

}  // namespace
}  // namespace gemmill::test
