// SPDX-License-Identifier: Apache-2.0
// The kernels of stage.cuh on the CPU: shapes of every kind, with gaps and without.
#include <limits>

#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/one_shape/stage/stage.cuh"

namespace gemmill::test {
namespace {

/// m, n and k with as many small ones as large ones.
GemmCase any_shape(Random& random, Type type, index_t most) {
    GemmCase one = product(random, type, 4, 4);
    const auto size = [&] {
        index_t largest = 1;
        while (largest < most && random.chance(75)) largest *= 2;
        return random.between((largest + 1) / 2, std::min(most, largest));
    };
    one.m = size(), one.n = size(), one.k = random.chance(5) ? 0 : size();
    return one;
}

template <class Tile>
void run_stage(const Batch& x, int room, int processors) {
    using T = typename Tile::T;
    StageLimits limits{Tile::tm, Tile::tn, Tile::threads, room / Tile::stages, 2, processors};
    limits.stages = Tile::stages, limits.lanes = Tile::lanes, limits.bulk = 256;
    const StagePlan plan = stage_plan(x, limits, static_cast<int>(sizeof(T)));
    ASSERT_GT(plan.products, 0);
    ASSERT_LE(plan.bytes, emulated::shared_bytes);
    ASSERT_LE(plan.down * plan.right * plan.deep * Tile::lanes, Tile::threads);
    run(2, Tile::threads, [&] { stage_kernel<Tile>(x, plan); });
}

template <class Tile>
void sweep_stage(index_t most, int room, int processors = 1) {
    Random random(21);
    for (int i = 0; i < affordable(40); ++i) {
        const GemmCase one = any_shape(random, device_type<typename Tile::T>, most);
        BatchCase batch(std::vector<GemmCase>(static_cast<std::size_t>(random.between(1, 9)), one),
                        random);
        if (random.chance(30)) {
            run_stage<Tile>(batch.uniform(), room, processors);
            ASSERT_TRUE(batch.check()) << to_string(one);
            continue;
        }
        const index_t gap = random.chance(70) ? 0 : random.between(1, 5),
                      between = random.chance(50) ? 0 : random.between(1, 7);
        Chain chain(batch, random.between(0, 3), gap, between);
        run_stage<Tile>(random.chance(40) ? chain.here() : chain.by_pointers(random.chance(60)),
                        room, processors);
        ASSERT_TRUE(chain.check()) << to_string(one) << " between columns " << between;
    }
}

TEST(StageKernels, many_products_a_block) {
    sweep_stage<StageTile<double, 5, 5, 128, 1>>(24, 40 << 10);
    sweep_stage<StageTile<double, 1, 1, 64, 1>>(12, 20 << 10);
    sweep_stage<StageTile<float, 5, 5, 128, 1>>(24, 40 << 10);
    sweep_stage<StageTile<float, 2, 2, 64, 1>>(24, 20 << 10);
    sweep_stage<StageTile<cuFloatComplex, 3, 3, 128, 1>>(20, 40 << 10);
    sweep_stage<StageTile<cuDoubleComplex, 2, 2, 128, 1>>(20, 40 << 10);
    sweep_stage<StageTile<cuDoubleComplex, 1, 3, 64, 1>>(20, 40 << 10);
}

TEST(StageKernels, two_stages) {
    sweep_stage<StageTile<double, 5, 5, 128, 1, 2>>(24, 40 << 10);
    sweep_stage<StageTile<double, 3, 3, 64, 1, 2>>(90, 24 << 10);
    sweep_stage<StageTile<float, 1, 5, 128, 1, 2>>(128, 24 << 10);
    sweep_stage<StageTile<cuDoubleComplex, 2, 2, 128, 1, 2>>(60, 32 << 10);
}

TEST(StageKernels, straight_to_memory) {
    sweep_stage<StageTile<double, 1, 1, 128, 1, 1, true>>(24, 40 << 10);
    sweep_stage<StageTile<float, 1, 5, 128, 1, 1, true>>(128, 24 << 10);
    sweep_stage<StageTile<cuDoubleComplex, 1, 3, 64, 1, 2, true>>(60, 32 << 10);
}

TEST(StageKernels, by_tensor_cores) {
    sweep_stage<StageMmaTile<double, 8, 8, 1, 2, 128, 1>>(40, 40 << 10);
    sweep_stage<StageMmaTile<double, 16, 8, 1, 2, 64, 1>>(90, 16 << 10);
    sweep_stage<StageMmaTile<float, 8, 8, 3, 3, 128, 1>>(60, 24 << 10);
    sweep_stage<StageMmaTile<cuDoubleComplex, 8, 8, 2, 2, 128, 1>>(60, 24 << 10);
    sweep_stage<StageMmaTile<cuFloatComplex, 8, 8, 1, 2, 128, 1>>(60, 24 << 10);
    sweep_stage<StageMmaTile<__half, 16, 16, 1, 2, 128, 1>>(60, 24 << 10);
    sweep_stage<StageMmaTile<__nv_bfloat16, 16, 16, 2, 4, 64, 1>>(128, 12 << 10);
}

TEST(StageKernels, slabs_and_parts) {
    sweep_stage<StageTile<double, 3, 3, 64, 1>>(90, 12 << 10);
    sweep_stage<StageTile<double, 5, 1, 128, 1>>(90, 16 << 10);
    sweep_stage<StageTile<float, 1, 5, 128, 1>>(128, 12 << 10);
    sweep_stage<StageTile<cuDoubleComplex, 2, 2, 128, 1>>(60, 16 << 10);
}

TEST(StageKernels, few_products) {
    sweep_stage<StageTile<double, 5, 5, 128, 1>>(128, 40 << 10, 132);
    sweep_stage<StageTile<float, 2, 2, 128, 1>>(100, 40 << 10, 132);
    sweep_stage<StageMmaTile<double, 16, 8, 2, 4, 128, 1>>(128, 40 << 10, 132);
    sweep_stage<StageMmaTile<double, 8, 8, 1, 4, 128, 1>>(128, 40 << 10, 132);
    sweep_stage<StageMmaTile<__half, 16, 16, 2, 4, 128, 1>>(128, 40 << 10, 132);
}

/// Doubles, m x n x 3, with so many elements between columns, one product behind the other.
Batch with_gaps(index_t m, index_t n, index_t gap, bool by_pointers) {
    static const void* const none = nullptr;
    const auto matrix = [&](index_t rows, index_t cols) {
        BatchMatrix of;
        of.ld.all = rows + gap, of.stride = of.ld.all * cols;
        if (by_pointers) of.array = &none;
        return of;
    };
    Batch x;
    x.count = 100'000;
    x.m = {m}, x.n = {n}, x.k = {3};
    x.beta.all = {1, 0};
    x.a = matrix(m, 3), x.b = matrix(3, n), x.c = matrix(m, n);
    return x;
}
constexpr StageLimits some_limits{3, 3, 128, 42 << 10, 5 * 132, 132};

TEST(StagePlans, gaps_are_copied_where_they_are_small) {
    const StagePlan none = stage_plan(with_gaps(20, 5, 0, false), some_limits, 8);
    EXPECT_TRUE(none.c.chained && none.out.chained);
    const StagePlan small = stage_plan(with_gaps(20, 5, 5, false), some_limits, 8);
    EXPECT_TRUE(small.c.chained);
    EXPECT_FALSE(small.out.chained) << "nothing is written between columns";
    EXPECT_TRUE(small.out.by_elements);
    const StagePlan large = stage_plan(with_gaps(20, 5, 30, false), some_limits, 8);
    EXPECT_FALSE(large.c.flat || large.out.by_elements);
    // One column of each product: what lies behind it is another's.
    EXPECT_FALSE(stage_plan(with_gaps(20, 1, 5, false), some_limits, 8).out.chained);
}

TEST(StagePlans, pointers_may_follow_one_another) {
    const StagePlan plan = stage_plan(with_gaps(20, 5, 0, true), some_limits, 8);
    EXPECT_TRUE(plan.may_chain && plan.c.may_chain && !plan.c.chained);
    EXPECT_GE(plan.c.product, plan.c.apart) << "room for both ways to lie";
    EXPECT_FALSE(stage_plan(with_gaps(20, 5, 0, false), some_limits, 8).may_chain);
}

/// A complex beta of 1 multiplies nothing, so that an infinity stays one.
TEST(StageKernels, beta_of_one_multiplies_nothing) {
    const double inf = std::numeric_limits<double>::infinity();
    const cuDoubleComplex zero{0, 0};
    cuDoubleComplex c{1, inf};
    Batch x;
    x.type = Type::z, x.count = 1;
    x.m = x.n = x.k = {1};
    x.alpha.all = x.beta.all = {1, 0};
    x.a = x.b = {&zero, 1, nullptr, {1}};
    x.c = {&c, 1, nullptr, {1}};
    run_stage<StageTile<cuDoubleComplex, 1, 1, 64, 1>>(x, 20 << 10, 1);
    EXPECT_EQ(c.x, 1);
    EXPECT_EQ(c.y, inf);
    run_stage<StageMmaTile<cuDoubleComplex, 8, 8, 1, 2, 64, 1>>(x, 20 << 10, 1);
    EXPECT_EQ(c.x, 1);
    EXPECT_EQ(c.y, inf);
}

}  // namespace
}  // namespace gemmill::test
