// SPDX-License-Identifier: Apache-2.0
// A batch by pointers as one at equal distances, which the host guesses and the device verifies.
#pragma once

#include "kernel/batch_distances.hpp"
#include "kernel/cuda/fitted/kernel.hpp"
#include "kernel/cuda/one_shape/kernel.hpp"

namespace gemmill::batch {

/// Puts what the distances of pointers are into `notice`, in a later moment of the stream. `mark`
/// is what `answered` will be.
cudaError_t look_at_distances(const Batch& batch, unsigned mark, BatchNotice* notice,
                              cudaStream_t stream);

/// Where the pointers of a batch are expected, and who makes it if they are there, and if not.
struct PointerGuess {
    Batch strided;
    BatchDistances distances;
    const Kernel* by_strides;
    const FittedKernel* fitted;  // in its place; null: none
    const Kernel* by_pointers;
    unsigned mark;
    BatchNotice* notice;
};
/// The batch is made by pointers unless all are where they are expected when the stream comes to
/// it. Not for streams that a graph captures: a mark is for one run.
cudaError_t run_guessed(const Batch& batch, const PointerGuess& guess, cudaStream_t stream);

}  // namespace gemmill::batch
