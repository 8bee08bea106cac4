// SPDX-License-Identifier: Apache-2.0
// Kernels for batches of 16-bit types, which tensor cores multiply as doubles.
#pragma once

#include "kernel/cuda/compiled/type.cuh"

namespace gemmill::batch {

template <class T>
struct ShortClasses {
    using Pack8 = MmaTile<T, 8, 8, 1, 1, 1, 1>;
    using Pack16 = MmaTile<T, 16, 16, 1, 2, 1, 1>;
    using Warp24 = MmaTile<T, 8, 8, 3, 3, 1, 1>;
    using Pipe32 = PipeTile<T, 16, 8, 1, 2, 2, 2, 32, 2>;
    using Pipe64 = PipeTile<T, 16, 8, 2, 4, 2, 2, 32, 2>;
    using Fma32 = FmaTile<T, 2, 4, 2, 2, 8>;

    static constexpr Kernel all[] = {
        tiny<T, 2>("tiny2"),
        tiny<T, 4>("tiny4"),
        tiny<T, 8>("tiny8"),
        pack<T, Pack8>("pack8"),
        pack<T, Pack16>("pack16"),
        warp<T, Warp24>("warp24"),
        stage<StageTile<T, 1, 1, 256, 4, 1, true>>("stage1x1"),
        stage<StageTile<T, 5, 1, 128, 8>>("stage5x1"),
        stage<typename FittedTiles<T>::Row>("stage1x5"),
        stage<StageTile<T, 3, 3, 128, 6>>("stage3x3"),
        stage<StageTile<T, 5, 5, 128, 4>>("stage5x5"),
        stage<typename FittedTiles<T>::Double>("double3x3"),
        stage<StageTile<T, 5, 5, 128, 3, 2>>("double5x5"),
        stage<StageMmaTile<T, 16, 16, 1, 1, 128, 5>>("mma16x8"),
        stage<StageMmaTile<T, 16, 16, 1, 2, 128, 5>>("mma16"),
        stage<StageMmaTile<T, 16, 16, 2, 4, 128, 5>>("mma32"),
        pipe<T, Pipe32, 4>("pipe32"),
        pipe<T, Pipe64, 2>("pipe64"),
        fma<T, Fma32>("far"),
    };
    static constexpr std::span<const Kernel> kernels{all};
    // Rings of 3, 6, 12 and 24 KiB.
    using Lists = ListKernels<
        Pack8, RingMmaTile<T, 1536, 16, 16, 1, 2, 1, 24>, RingMmaTile<T, 3072, 16, 16, 1, 2, 2, 14>,
        RingMmaTile<T, 6144, 16, 16, 1, 2, 4, 7>, RingMmaTile<T, 12288, 16, 16, 1, 2, 8, 4>>;
    using Small = Pipe32;
    using Middle = Pipe32;
    using Large = Pipe64;
    using Far = Fma32;
    static constexpr int blocks[] = {2, 4, 4};
    static constexpr ClassLimits limits =
        limits_of(Lists{}, {{64, 32, 1.0F}, {32, 16, 1.5F}, {32, 16, 1.5F}});
};

}  // namespace gemmill::batch
