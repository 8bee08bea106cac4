// SPDX-License-Identifier: Apache-2.0
// The kernels of tiles on the CPU: their indices, edges and pipelines against the loops.
#include "kernel/cuda/run_kernels.hpp"
// What CUDA's words mean is known before its kernels.
#include "kernel/cuda/tile/fma.cuh"
#include "kernel/cuda/tile/mma.cuh"
#include "kernel/cuda/tile/pipe.cuh"

namespace gemmill::test {
namespace {

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

/// As shared_bytes of batch/choice/space.hpp says (its test has the first of these).
TEST(BatchKernels, shared_memory_of_pipelines) {
    EXPECT_EQ((pipe_bytes<PipeTile<double, 16, 8, 2, 4, 2, 2, 16, 3>, double, JobList>),
              3 * 2 * 64 * 20 * 8 + 8 * 80);
    EXPECT_EQ(sizeof(Job<float>), 64);
    EXPECT_EQ(sizeof(Job<cuFloatComplex>), 80);
    EXPECT_EQ(sizeof(Job<cuDoubleComplex>), 96);
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

}  // namespace
}  // namespace gemmill::test
