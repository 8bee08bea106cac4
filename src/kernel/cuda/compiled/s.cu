// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of floats, which tensor cores multiply as doubles, and chains as floats.
#include "kernel/cuda/compiled/type.cuh"

namespace gemmill::batch {

template <>
struct Classes<float> {
    using T = float;
    using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
    using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
    using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
    using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
    using Chain = ChainTile<T, 4, 4, 256, 2>;
    // For odd sizes: tiles that leave little over.
    using Chain5 = SingleTile<T, 5, 5, 128>;
    using Chain6 = SingleTile<T, 6, 6, 128>;
    using Chain7 = SingleTile<T, 7, 7, 128>;
    using Chain8 = SingleTile<T, 8, 4, 64>;
    using Pipe16 = PipeTile<T, 16, 8, 1, 2, 1, 1, 16, 4>;
    using Pipe24 = PipeTile<T, 8, 4, 1, 3, 3, 1, 24, 3>;
    using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 32, 3>;
    using Pipe32w2 = PipeTile<T, 16, 4, 2, 2, 1, 2, 32, 3>;
    using Pipe48 = PipeTile<T, 8, 8, 3, 3, 2, 2, 24, 3>;
    using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 32, 2>;
    using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

    static constexpr Kernel all[] = {
        tiny<T, 1>("tiny1"),
        tiny<T, 2>("tiny2"),
        tiny<T, 3>("tiny3"),
        tiny<T, 4>("tiny4"),
        tiny<T, 5>("tiny5"),
        tiny<T, 6>("tiny6"),
        tiny<T, 8>("tiny8"),
        pack<T, Pack8>("pack8"),
        pack<T, Pack12>("pack12"),
        pack<T, Pack16>("pack16"),
        warp<T, Warp24>("warp24"),
        chain<Chain>("chain"),
        chain<Chain5>("chain5"),
        chain<Chain6>("chain6"),
        chain<Chain7>("chain7"),
        chain<Chain8>("chain8"),
        pipe<T, Pipe16, 16>("pipe16"),
        pipe<T, Pipe24, 4>("pipe24"),
        pipe<T, Pipe32, 4>("pipe32"),
        pipe<T, Pipe32w2, 6>("pipe32w2"),
        pipe<T, Pipe48, 3>("pipe48"),
        pipe<T, Pipe64, 3>("pipe64"),
        stage<StageTile<T, 1, 1, 256, 4, 1, true>>("stage1x1"),
        stage<StageTile<T, 5, 1, 128, 8>>("stage5x1"),
        stage<FittedTiles<T>::Row>("stage1x5"),
        stage<StageTile<T, 3, 3, 128, 6>>("stage3x3"),
        stage<StageTile<T, 5, 5, 128, 4>>("stage5x5"),
        stage<StageTile<T, 7, 7, 128, 3>>("stage7x7"),
        stage<FittedTiles<T>::Double>("double3x3"),
        stage<StageTile<T, 5, 5, 128, 3, 2>>("double5x5"),
        stage<StageMmaTile<T, 16, 8, 1, 2, 128, 5>>("mma16"),
        stage<StageMmaTile<T, 16, 8, 2, 4, 128, 4>>("mma32"),
#include "kernel/cuda/tuned/tuned_s.inc"
        fma<T, Fma32>("far"),
    };
    static constexpr std::span<const Kernel> kernels{all};
    // Rings of 3, 6, 12, 24 and 48 KiB.
    using Lists = ListKernels<
        RingMmaTile<T, 768, 16, 4, 1, 2, 1, 32>, RingMmaTile<T, 1536, 16, 4, 1, 2, 1, 28>,
        RingMmaTile<T, 3072, 16, 8, 1, 2, 2, 14>, RingMmaTile<T, 6144, 16, 8, 1, 2, 4, 7>,
        RingMmaTile<T, 12288, 16, 8, 1, 2, 8, 4>>;
    using Small = Pipe32w2;
    using Middle = Pipe48;
    using Large = Pipe64;
    using Far = Fma32;
    static constexpr int blocks[] = {3, 3, 6};
    static constexpr ClassLimits limits =
        limits_of(Lists{}, {{64, 32, 1.0F}, {48, 24, 1.2F}, {32, 16, 1.5F}});
};
template struct OfType<float>;

}  // namespace gemmill::batch
