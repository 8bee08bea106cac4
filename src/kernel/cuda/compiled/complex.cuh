// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of complex types, which tensor cores multiply as pairs of doubles. Who
// includes this has named the file of tuned kernels, GEMMILL_TUNED_KERNELS.
#pragma once

#include "kernel/cuda/compiled/type.cuh"

namespace gemmill::batch {

template <class T>
struct ComplexClasses {
    using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
    using Pack12 = MmaTile<T, 8, 12, 2, 2, 1, 1>;
    using Pipe16 = PipeTile<T, 8, 8, 1, 2, 2, 1, 16, 3>;
    using Pipe24 = PipeTile<T, 8, 8, 1, 3, 3, 1, 24, 2>;
    using Pipe32 = PipeTile<T, 16, 4, 1, 2, 2, 2, 16, 3>;
    /// A and B of up to 32 in one slab.
    using Deep32 = PipeTile<T, 8, 8, 2, 2, 2, 2, 32, 2>;
    using Pipe48 = PipeTile<T, 8, 4, 3, 3, 2, 2, 8, 3>;
    using Pipe64 = PipeTile<T, 16, 4, 1, 4, 4, 2, 8, 4>;
    /// 192 bytes of A, B and C a thread.
    using Chain =
        std::conditional_t<sizeof(T) == 8, ChainTile<T, 2, 4, 256, 2>, ChainTile<T, 2, 2, 128, 2>>;
    /// For sizes that leave little over, and elements that are read one by one.
    using Chain3 = SingleTile<T, 3, 3, 256>;
    using Chain4 = SingleTile<T, 4, 3, 128>;
    using Chain5 =
        std::conditional_t<sizeof(T) == 8, SingleTile<T, 5, 5, 64>, SingleTile<T, 5, 4, 128>>;
    using Widest =
        std::conditional_t<sizeof(T) == 8, StageTile<T, 5, 5, 128, 4>, StageTile<T, 2, 2, 128, 7>>;
    using Fma16 = FmaTile<T, 2, 4, 1, 1, 8>;
    using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

    static constexpr Kernel all[] = {
        tiny<T, 1>("tiny1"),
        tiny<T, 2>("tiny2"),
        tiny<T, 3>("tiny3"),
        tiny<T, 4>("tiny4"),
        pack<T, Pack8>("pack8"),
        pack<T, Pack12>("pack12"),
        pipe<T, Pipe16, 5>("pipe16"),
        pipe<T, Pipe24, 3>("pipe24"),
        pipe<T, Pipe32, 4>("pipe32"),
        pipe<T, Deep32, 3>("deep32"),
        pipe<T, Pipe48, 2>("pipe48"),
        pipe<T, Pipe64, 1>("pipe64"),
        fma<T, Fma16>("fma16"),
        chain<Chain>("chain"),
        chain<Chain3>("chain3"),
        chain<Chain4>("chain4"),
        chain<Chain5>("chain5"),
        stage<StageTile<T, 1, 1, 256, 4, 1, true>>("stage1x1"),
        stage<StageTile<T, 3, 1, 128, 7>>("stage3x1"),
        stage<typename FittedTiles<T>::Row>("stage1x3"),
        stage<StageTile<T, 3, 3, 128, sizeof(T) == 8 ? 7 : 4>>("stage3x3"),
        stage<Widest>(sizeof(T) == 8 ? "stage5x5" : "stage2x2"),
        stage<typename FittedTiles<T>::Double>("double3x3"),
        stage<StageMmaTile<T, 8, 8, 1, 2, 128, 4>>("mma8x16"),
        stage<StageMmaTile<T, 8, 8, 2, 1, 128, 4>>("mma16x8"),
#include GEMMILL_TUNED_KERNELS
        fma<T, Fma32>("far"),
    };
    static constexpr std::span<const Kernel> kernels{all};
    // Rings of 6, 12, 24 and 48 KiB, and of 12, 24, 48 and 96 KiB. Tensor cores multiply doubles:
    // floats become doubles and floats again, which pays where there is much to multiply.
    using Lists = std::conditional_t<
        sizeof(T) == 8,
        ListKernels<Pack8, RingTile<T, 768, 2, 2, 1, 28>, RingTile<T, 1536, 2, 2, 1, 14>,
                    RingTile<T, 3072, 3, 2, 2, 8>, RingMmaTile<T, 6144, 8, 8, 1, 2, 4, 4>>,
        ListKernels<Pack8, RingMmaTile<T, 768, 8, 8, 1, 1, 1, 15>,
                    RingMmaTile<T, 1536, 8, 8, 1, 2, 1, 8>, RingMmaTile<T, 3072, 8, 8, 1, 2, 4, 4>,
                    RingMmaTile<T, 6144, 8, 8, 1, 2, 8, 2>>>;
    using Small = Pipe32;
    using Middle = Pipe48;
    using Large = Pipe64;
    using Far = Fma32;
    static constexpr int blocks[] = {1, 2, 3};
    static constexpr ClassLimits limits =
        limits_of(Lists{}, {{64, 32, 1.0F}, {48, 24, 1.2F}, {32, 16, 1.5F}});
};

}  // namespace gemmill::batch
