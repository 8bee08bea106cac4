// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels for batches, run on the CPU by cpu/blocks.hpp: their indices, edges and
// pipelines against the loops, where there is no GPU.
#include "run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/batch_chain.cuh"
#include "kernel/cuda/batch_check.cuh"
#include "kernel/cuda/batch_pipe.cuh"
#include "kernel/cuda/batch_ring.cuh"
#include "kernel/cuda/batch_sort.cuh"
#include "kernel/cuda/batch_tile.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {
alignas(16) unsigned char memory[emulated::shared_bytes];  // extern __shared__ of the kernels
}

namespace gemmill::test {
namespace {

using namespace gemmill::batch;

template <class T, int edge, bool exact>
void sweep_tiny() {
    sweep<T>(
        edge, edge,
        [](const Batch& x) {
            const int columns = static_cast<int>(x.n.all);
            run(2, 64, [&] { tiny_kernel<T, Shapes::one, edge, exact>(x, columns); });
        },
        exact);
}

TEST(BatchKernels, tiny) {
    sweep_tiny<double, 1, true>();
    sweep_tiny<double, 4, true>();
    sweep_tiny<double, 5, true>();
    sweep_tiny<double, 6, false>();
    sweep_tiny<float, 8, true>();
    sweep_tiny<float, 6, true>();
    sweep_tiny<cuFloatComplex, 4, true>();
    sweep_tiny<cuFloatComplex, 3, false>();
    sweep_tiny<cuDoubleComplex, 4, true>();
}

template <class T, class Tile>
void sweep_pack(index_t k) {
    sweep<T>(Tile::tile_m, k, [](const Batch& x) {
        run(2, 64, [&] { mma_pack_kernel<Tile, T, Everything, 64>(x, {}); });
    });
}
template <class T, class Tile>
void sweep_warp() {
    sweep<T>(Tile::tile_m, 40, [](const Batch& x) {
        run(1, 64, [&] { mma_kernel<Tile, T, Everything, 64>(x, {}); });
    });
}

TEST(BatchKernels, one_tile_a_warp) {
    sweep_pack<double, MmaTile<double, 8, 8, 1, 1, 1, 1>>(8);
    sweep_pack<double, MmaTile<double, 8, 12, 2, 2, 1, 1>>(12);
    sweep_pack<double, MmaTile<double, 16, 16, 1, 2, 1, 1>>(16);
    sweep_pack<float, MmaTile<float, 16, 16, 1, 2, 1, 1>>(16);
    sweep_pack<cuDoubleComplex, MmaTile<cuDoubleComplex, 8, 8, 1, 1, 1, 1>>(8);
    sweep_pack<cuFloatComplex, MmaTile<cuFloatComplex, 8, 16, 2, 2, 1, 1>>(16);
    sweep_warp<double, MmaTile<double, 16, 8, 1, 2, 1, 1>>();
    sweep_warp<double, MmaTile<double, 8, 8, 3, 3, 1, 1>>();
    sweep_warp<double, MmaTile<double, 16, 8, 2, 4, 1, 1>>();
}

template <class Tile>
GridSource<Shapes::one> grid_of(const Batch& x) {
    const auto parts = [](index_t whole, int part) {
        return static_cast<int>((whole + part - 1) / part);
    };
    return {parts(x.m.all, Tile::tile_m), parts(x.n.all, Tile::tile_n)};
}

template <class T, class Tile>
void sweep_pipe(index_t edge = 2 * Tile::tile_m + 3) {
    static_assert(sizeof(typename Tile::Stage) * Tile::stages <= emulated::shared_bytes);
    sweep<T>(
        edge, 3 * Tile::slab + 1,
        [](const Batch& x) {
            run(3, Tile::threads, [&] {
                pipe_kernel<Tile, T, GridSource<Shapes::one>, 1>(x,
                                                                 gemmill::test::grid_of<Tile>(x));
            });
        },
        false, 8);
}

TEST(BatchKernels, pipelines) {
    sweep_pipe<double, PipeTile<double, 16, 8, 1, 2, 2, 2, 16, 4>>();
    sweep_pipe<double, PipeTile<double, 8, 8, 5, 1, 1, 5, 16, 3>>();
    sweep_pipe<double, PipeTile<double, 8, 8, 3, 3, 2, 2, 16, 3>>();
    sweep_pipe<double, PipeTile<double, 16, 8, 2, 4, 2, 2, 16, 3>>();
    sweep_pipe<double, PipeTile<double, 16, 4, 2, 2, 1, 2, 16, 3>>();
    sweep_pipe<double, PipeTile<double, 16, 4, 1, 5, 5, 2, 16, 3>>(90);
    sweep_pipe<double, PipeTile<double, 16, 4, 2, 8, 4, 2, 16, 3>>(140);
    sweep_pipe<float, PipeTile<float, 8, 4, 1, 3, 3, 1, 24, 3>>();
    sweep_pipe<float, PipeTile<float, 16, 8, 1, 2, 1, 1, 16, 4>>();
    sweep_pipe<float, PipeTile<float, 16, 4, 2, 2, 1, 2, 32, 3>>();
    sweep_pipe<float, PipeTile<float, 8, 8, 3, 3, 2, 2, 24, 2>>();
    sweep_pipe<cuFloatComplex, PipeTile<cuFloatComplex, 8, 4, 1, 2, 2, 1, 16, 3>>();
    sweep_pipe<cuFloatComplex, PipeTile<cuFloatComplex, 8, 8, 1, 2, 2, 1, 16, 3>>();
    sweep_pipe<cuDoubleComplex, PipeTile<cuDoubleComplex, 8, 4, 3, 3, 2, 2, 8, 3>>();
    sweep_pipe<cuDoubleComplex, PipeTile<cuDoubleComplex, 8, 8, 1, 3, 3, 1, 24, 2>>();
    sweep_pipe<cuDoubleComplex, PipeTile<cuDoubleComplex, 8, 8, 2, 2, 2, 2, 32, 2>>();
    sweep_pipe<cuDoubleComplex, PipeTile<cuDoubleComplex, 16, 4, 1, 4, 4, 2, 8, 4>>(70);
}

template <class Tile, int many, bool trans_a, bool trans_b>
void check_chain(Random& random, index_t edge) {
    GemmCase one = product(random, device_type<typename Tile::T>, edge / many, edge / many);
    one.m *= many, one.n *= many, one.k *= many;
    const Op turned = random.chance(50) ? Op::Trans : Op::ConjTrans;
    one.op_a = trans_a ? turned : Op::NoTrans, one.op_b = trans_b ? turned : Op::NoTrans;
    BatchCase batch(std::vector<GemmCase>(static_cast<std::size_t>(random.between(1, 40)), one),
                    random);
    Chain chain(batch);
    const Batch x = chain.here();
    ASSERT_TRUE(is_chain(x));
    const ChainPlan plan = chain_plan<Tile, many>(x);
    ASSERT_GT(plan.products, 0);
    run(2, Tile::threads, [&] { chain_kernel<Tile, many, trans_a, trans_b>(x, plan); });
    ASSERT_TRUE(chain.check());
}
template <class Tile, int many>
void sweep_chain(index_t edge) {
    static_assert(Tile::bytes <= emulated::shared_bytes);
    Random random(11);
    for (int i = 0; i < affordable(6); ++i) {
        check_chain<Tile, many, false, false>(random, edge);
        check_chain<Tile, many, false, true>(random, edge);
        check_chain<Tile, many, true, false>(random, edge);
        check_chain<Tile, many, true, true>(random, edge);
    }
}

/// As shared_bytes of batch/space.hpp says (its test has the first of these).
TEST(BatchKernels, shared_memory_of_pipelines) {
    EXPECT_EQ((pipe_bytes<PipeTile<double, 16, 8, 2, 4, 2, 2, 16, 3>, double, JobList>),
              3 * 2 * 64 * 20 * 8 + 8 * 80);
    EXPECT_EQ(sizeof(Job<float>), 64);
    EXPECT_EQ(sizeof(Job<cuFloatComplex>), 80);
    EXPECT_EQ(sizeof(Job<cuDoubleComplex>), 96);
}

TEST(BatchKernels, chains) {
    sweep_chain<ChainTile<float, 4, 4, 256, 2>, 4>(32);
    sweep_chain<ChainTile<float, 4, 4, 256, 2>, 2>(30);
    sweep_chain<ChainTile<float, 4, 4, 128, 3>, 1>(20);
    sweep_chain<ChainTile<float, 5, 5, 128, 2, true>, 1>(29);
    sweep_chain<SingleTile<float, 7, 7, 64>, 1>(27);
    sweep_chain<SingleTile<float, 8, 4, 64>, 1>(31);
    sweep_chain<SingleTile<double, 5, 5, 64>, 1>(25);
    sweep_chain<ChainTile<double, 4, 2, 64, 2>, 2>(16);
    sweep_chain<ChainTile<double, 4, 2, 64, 2>, 1>(11);
    sweep_chain<ChainTile<cuFloatComplex, 2, 4, 64, 2>, 2>(12);
    sweep_chain<ChainTile<cuFloatComplex, 2, 4, 64, 3>, 1>(9);
    sweep_chain<ChainTile<cuDoubleComplex, 2, 2, 64, 2>, 1>(8);
    sweep_chain<SingleTile<cuDoubleComplex, 3, 3, 128>, 1>(18);
}

TEST(BatchKernels, what_is_a_chain) {
    using Tile = ChainTile<float, 4, 4, 256, 2>;
    Random random(12);
    GemmCase one = product(random, Type::s, 20, 20, true);
    one.n = 7, one.op_a = Op::Trans, one.op_b = Op::NoTrans;
    BatchCase batch(std::vector<GemmCase>(3, one), random);
    EXPECT_FALSE(is_chain(batch.uniform()));
    EXPECT_FALSE(is_chain(Chain(batch, 1).here()));
    EXPECT_FALSE(is_chain(Chain(batch, 0, 4).here()));
    const Chain chain(batch);
    Batch x = chain.here();
    EXPECT_TRUE(is_chain(x));
    x.a.stride = 0;
    EXPECT_FALSE(is_chain(x));
    x = chain.here();
    x.c.ld.all += 1;
    EXPECT_FALSE(is_chain(x));
    // A single tile is read one by one.
    const auto many_of = [&]<class Of>(Of) {
        return with_many<Of>(x, []<int many>() { return many; });
    };
    x.m = x.n = x.k = {24};
    EXPECT_EQ(many_of(Tile{}), 4);
    EXPECT_EQ((many_of(SingleTile<float, 8, 4, 64>{})), 1);
    x.n = {26};
    EXPECT_EQ(many_of(Tile{}), 2);
    x.k = {25};
    EXPECT_EQ(many_of(Tile{}), 1);
    // A plan has room for its products, and none for such that are too large.
    for (index_t n = 1; n <= 40; ++n) {
        x.m = x.n = x.k = {n};
        const ChainPlan plan = chain_plan<Tile, 1>(x);
        EXPECT_GT(plan.products, 0);
        EXPECT_LE(plan.products * plan.each, Tile::threads);
        EXPECT_LE(plan.c_at + plan.products * plan.c + 3, plan.room);
        EXPECT_LE(plan.room, Tile::room);
    }
    // What a single tile reads past a narrow matrix is not C.
    using Single = SingleTile<float, 8, 4, 64>;
    x.op_a = {Op::Trans};
    for (const index_t k : {1, 20, 40, 100}) {
        x.m = x.n = {1}, x.k = {k};
        const ChainPlan plan = chain_plan<Single, 1>(x);
        ASSERT_GT(plan.products, 0);
        EXPECT_LE(plan.room, Single::room);
        EXPECT_GE(plan.c_at, (plan.products - 1) * plan.a + 8 * k + 1);
        EXPECT_GE(plan.c_at, plan.b_at + (plan.products - 1) * plan.b + 4 * k + 1);
    }
    x.k = {1200};
    EXPECT_EQ((chain_plan<Single, 1>(x).products), 0);
    for (const index_t n : {index_t{0}, index_t{65}, index_t{1} << 40}) {
        x.m = x.n = {n};
        EXPECT_EQ((chain_plan<Tile, 1>(x).products), 0);
    }
}

template <class T, class Tile>
void sweep_fma() {
    sweep<T>(2 * Tile::tile_m + 3, 20, [](const Batch& x) {
        run(3, Tile::threads, [&] {
            fma_kernel<Tile, T, GridSource<Shapes::one>>(x, gemmill::test::grid_of<Tile>(x));
        });
    });
}

TEST(BatchKernels, multiply_adds) {
    sweep_fma<double, FmaTile<double, 2, 4, 2, 2, 8>>();
    sweep_fma<float, FmaTile<float, 4, 8, 2, 2, 8>>();
    sweep_fma<cuFloatComplex, FmaTile<cuFloatComplex, 2, 4, 1, 1, 8>>();
}

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

/// All four products, and none by one.
TEST(BatchKernels, beta_c_of_complex_numbers) {
    using N = Number<cuDoubleComplex>;
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const cuDoubleComplex lost = N::scaled({-1, -0.0}, {nan, -inf});
    EXPECT_TRUE(std::isnan(lost.x) && std::isnan(lost.y));
    const cuDoubleComplex kept = N::scaled({1, 0}, {1, inf});
    EXPECT_EQ(kept.x, 1);
    EXPECT_EQ(kept.y, inf);
    const cuDoubleComplex half = N::scaled({0.5, 0}, {1, inf});
    EXPECT_TRUE(std::isnan(half.x));
    EXPECT_EQ(half.y, inf);
    const cuDoubleComplex product = N::scaled({2, -3}, {4, 5});
    EXPECT_EQ(product.x, 23);
    EXPECT_EQ(product.y, -2);
}

TEST(BatchKernels, long_jobs_are_first) {
    EXPECT_EQ(level_of(0), levels - 1);
    EXPECT_EQ(level_of(index_t{1} << 40), 0);
    for (index_t k = 1; k < 5000; ++k) EXPECT_LE(level_of(k + 1), level_of(k));
    EXPECT_LT(level_of(512), level_of(256));
}

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
