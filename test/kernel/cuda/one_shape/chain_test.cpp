// SPDX-License-Identifier: Apache-2.0
// Products without gaps between them, run on the CPU, and the plans for them.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/one_shape/chain.cuh"

namespace gemmill::test {
namespace {

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

}  // namespace
}  // namespace gemmill::test
