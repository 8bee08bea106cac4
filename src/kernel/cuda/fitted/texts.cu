// SPDX-License-Identifier: Apache-2.0
// What is compiled to a text, by type and then in the order of OfType<T>::fits().
#include "kernel/cuda/fitted/fitted.cuh"
#include "kernel/cuda/one_shape/stage/fitted_tiles.cuh"

namespace gemmill::batch {

#define GEMMILL_FITTED(T, tile)                                                                 \
    template __global__ void fitted_kernel<FittedTiles<T>::tile>(const __grid_constant__ Batch, \
                                                                 const __grid_constant__ Gate)
#define GEMMILL_FITTED_TYPE(T) \
    GEMMILL_FITTED(T, Row);    \
    GEMMILL_FITTED(T, Double)

GEMMILL_FITTED_TYPE(float);
GEMMILL_FITTED_TYPE(double);
GEMMILL_FITTED_TYPE(cuFloatComplex);
GEMMILL_FITTED_TYPE(cuDoubleComplex);
GEMMILL_FITTED_TYPE(__half);
GEMMILL_FITTED_TYPE(__nv_bfloat16);

}  // namespace gemmill::batch
