// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of doubles.
#include "kernel/cuda/compiled/type.cuh"

namespace gemmill::batch {

template <>
struct Classes<double> {
    using T = double;
    // rows and depth of an instruction, instructions of a warp, warps; then slab and stages.
    using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
    using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
    using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
    using Warp16 = MmaTile<T, 16, 8, 1, 2, 1, 1>;
    using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
    using Chain = ChainTile<T, 4, 4, 128, 2>;
    using Chain5 = SingleTile<T, 5, 5, 128>;  // for odd sizes
    using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 16, 4>;
    using Pipe40 = PipeTile<T, 8, 8, 5, 1, 1, 5, 16, 3>;
    using Pipe48 = PipeTile<T, 8, 8, 3, 3, 2, 2, 16, 3>;
    using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>;
    using Pipe64w8 = PipeTile<T, 16, 8, 1, 4, 4, 2, 16, 3>;
    using Pipe72 = PipeTile<T, 8, 8, 3, 3, 3, 3, 16, 3>;
    using Pipe80 = PipeTile<T, 16, 4, 1, 5, 5, 2, 16, 3>;
    using Pipe96 = PipeTile<T, 16, 4, 2, 3, 3, 4, 16, 3>;
    using Pipe112 = PipeTile<T, 16, 4, 1, 7, 7, 2, 16, 3>;
    using Pipe128 = PipeTile<T, 16, 4, 2, 8, 4, 2, 16, 3>;
    using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

    static constexpr Kernel all[] = {
        tiny<T, 1>("tiny1"),
        tiny<T, 2>("tiny2"),
        tiny<T, 3>("tiny3"),
        tiny<T, 4>("tiny4"),
        tiny<T, 5>("tiny5"),
        tiny<T, 6>("tiny6"),
        pack<T, Pack8>("pack8"),
        pack<T, Pack12>("pack12"),
        pack<T, Pack16>("pack16"),
        warp<T, Warp16>("warp16"),
        warp<T, Warp24>("warp24"),
        chain<Chain>("chain"),
        chain<Chain5>("chain5"),
        pipe<T, Pipe32, 4>("pipe32"),
        pipe<T, Pipe40, 4>("pipe40"),
        pipe<T, Pipe48, 3>("pipe48"),
        pipe<T, Pipe64, 3>("pipe64"),
        pipe<T, Pipe64w8, 2>("pipe64w8"),
        pipe<T, Pipe72, 2>("pipe72"),
        pipe<T, Pipe80, 2>("pipe80"),
        pipe<T, Pipe96, 1>("pipe96"),
        pipe<T, Pipe112, 1>("pipe112"),
        pipe<T, Pipe128, 1>("pipe128"),
        stage<StageTile<T, 1, 1, 256, 4, 1, true>>("stage1x1"),
        stage<StageTile<T, 5, 1, 128, 7>>("stage5x1"),
        stage<FittedTiles<T>::Row>("stage1x5"),
        stage<StageTile<T, 3, 3, 128, 6>>("stage3x3"),
        stage<StageTile<T, 5, 5, 128, 4>>("stage5x5"),
        stage<FittedTiles<T>::Double>("double3x3"),
        stage<StageTile<T, 5, 5, 128, 3, 2>>("double5x5"),
        stage<StageMmaTile<T, 16, 8, 1, 2, 128, 5>>("mma16"),
        stage<StageMmaTile<T, 8, 8, 3, 3, 128, 4>>("mma24"),
        stage<StageMmaTile<T, 16, 8, 2, 4, 128, 4>>("mma32"),
        stage<StageMmaTile<T, 8, 8, 1, 4, 128, 5>>("mma8x32"),
        stage<StageMmaTile<T, 8, 8, 4, 1, 128, 5>>("mma32x8"),
#include "kernel/cuda/tuned/tuned_d.inc"
        fma<T, Fma32>("far"),
    };
    static constexpr std::span<const Kernel> kernels{all};
    // Rings of 12, 24, 48 and 96 KiB.
    using Lists = ListKernels<
        Pack8, RingMmaTile<T, 1536, 16, 4, 1, 2, 1, 16>, RingMmaTile<T, 3072, 16, 8, 1, 2, 2, 8>,
        RingMmaTile<T, 6144, 16, 8, 1, 2, 4, 4>, RingMmaTile<T, 12288, 16, 8, 2, 2, 8, 2>>;
    using Small = PipeTile<T, 16, 4, 2, 2, 1, 2, 16, 3>;
    using Middle = Pipe48;
    using Large = Pipe64;
    using Far = Fma32;
    static constexpr int blocks[] = {3, 3, 8};  // of large, middle and small ones
    static constexpr ClassLimits limits =
        limits_of(Lists{}, {{64, 32, 1.0F}, {48, 24, 1.2F}, {32, 16, 1.5F}});
};
template struct OfType<double>;

}  // namespace gemmill::batch
