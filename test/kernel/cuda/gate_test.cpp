// SPDX-License-Identifier: Apache-2.0
// Kernels behind a gate, on the CPU.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/one_shape/tiny.cuh"
#include "kernel/cuda/tile/fma.cuh"
#include "kernel/cuda/tile/mma.cuh"
#include "kernel/cuda/tile/pipe.cuh"

namespace gemmill::test {
namespace {

constexpr unsigned mark = 77;

/// f(batch, gate) behind gates that are shut, and then open.
template <class T, class F>
void check_gate(index_t edge, F run_kernel) {
    Random random(41);
    const GemmCase one = product(random, device_type<T>, edge, edge, true);
    BatchCase batch(std::vector<GemmCase>(5, one), random);
    const unsigned word = mark;
    run_kernel(batch.uniform(), Gate{&word, mark, false});
    ASSERT_TRUE(batch.untouched());
    run_kernel(batch.uniform(), Gate{&word, mark + 1, true});
    ASSERT_TRUE(batch.untouched());
    run_kernel(batch.uniform(), Gate{&word, mark, true});
    ASSERT_TRUE(batch.check());
}

template <class Tile>
GridSource<Shapes::one> grid_of(const Batch& x) {
    return {static_cast<int>((x.m.all + Tile::tile_m - 1) / Tile::tile_m),
            static_cast<int>((x.n.all + Tile::tile_n - 1) / Tile::tile_n)};
}

TEST(BatchGates, kernels_run_if_they_are_open) {
    using T = double;
    using Pack = MmaTile<T, 8, 8, 1, 1, 1, 1>;
    using Warp = MmaTile<T, 16, 8, 1, 2, 1, 1>;
    using Pipe = PipeTile<T, 16, 8, 1, 2, 2, 2, 16, 4>;
    using Fma = FmaTile<T, 2, 4, 2, 2, 8>;
    check_gate<T>(4, [](const Batch& x, const Gate& gate) {
        run(2, 64,
            [&] { tiny_kernel<T, Shapes::one, 4, true>(x, static_cast<int>(x.n.all), gate); });
    });
    check_gate<T>(8, [](const Batch& x, const Gate& gate) {
        run(2, 64, [&] { mma_pack_kernel<Pack, T, Everything, 64>(x, {}, gate); });
    });
    check_gate<T>(16, [](const Batch& x, const Gate& gate) {
        run(2, 64, [&] { mma_kernel<Warp, T, Everything, 64>(x, {}, gate); });
    });
    check_gate<T>(40, [](const Batch& x, const Gate& gate) {
        run(3, Pipe::threads,
            [&] { pipe_kernel<Pipe, T, GridSource<Shapes::one>, 1>(x, grid_of<Pipe>(x), gate); });
    });
    check_gate<T>(40, [](const Batch& x, const Gate& gate) {
        run(3, Fma::threads,
            [&] { fma_kernel<Fma, T, GridSource<Shapes::one>>(x, grid_of<Fma>(x), gate); });
    });
}

}  // namespace
}  // namespace gemmill::test
