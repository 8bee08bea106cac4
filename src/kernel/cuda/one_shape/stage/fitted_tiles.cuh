// SPDX-License-Identifier: Apache-2.0
// Tiles whose kernels are fitted to shapes, too (fitted/): the faster of these is then hardly
// slower than the fastest of all.
#pragma once

#include "kernel/cuda/one_shape/stage/part.cuh"

namespace gemmill::batch {

/// A row of C for each thread, and squares with two stages.
template <class T>
struct FittedTiles {
    using Row = StageTile<T, 1, 5, 128, sizeof(T) == 8 ? 6 : 8, 1, true>;
    using Double = StageTile<T, 3, 3, 128, 3, 2>;
};
template <class T>
struct FittedComplexTiles {
    using Row = StageTile<T, 1, 3, 128, 7, 1, true>;
    using Double = StageTile<T, 3, 3, 128, 3, 2>;
};
template <>
struct FittedTiles<cuFloatComplex> : FittedComplexTiles<cuFloatComplex> {};
template <>
struct FittedTiles<cuDoubleComplex> : FittedComplexTiles<cuDoubleComplex> {};

}  // namespace gemmill::batch
