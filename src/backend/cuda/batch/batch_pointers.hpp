// SPDX-License-Identifier: Apache-2.0
// What a thread knows of the arrays of a batch by pointers: whether their contents were at equal
// distances, and whether kernels for such batches are faster, the verifying included.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <optional>
#include <vector>

#include "backend/cuda/batch/batch_fits.hpp"
#include "backend/cuda/batch/batch_key.hpp"
#include "backend/cuda/batch/batch_notices.hpp"
#include "backend/cuda/batch/batch_table.hpp"
#include "backend/cuda/batch/batch_timing.hpp"
#include "batch/choice/distances.hpp"
#include "kernel/cuda/pointers/guess.hpp"

namespace gemmill {

class KnownPointers {
  public:
    /// Before a call goes into a stream that no graph captures: the guess by which it is made, or
    /// none where pointers are not guessed, or are as fast. by_pointers: seconds to beat.
    std::optional<batch::PointerGuess> begin(cudaStream_t stream, const Batch& batch,
                                             double by_pointers);
    void end(cudaStream_t stream);

  private:
    friend KnownPointers* known_pointers(const BatchKey& key, const Batch& batch);
    using Arrays = std::array<const void*, 3>;

    void look(cudaStream_t stream, const Batch& batch);
    void hear(const Batch& batch, double by_pointers);
    bool take_answer(const Batch& batch, double by_pointers);

    BatchKey key_;
    Arrays arrays_{};
    OwnNotice notice_;
    DistanceLearner learner_;
    unsigned asked_ = 0;           // the mark of who was asked
    unsigned refuted_before_ = 0;  // the last that was refuted before the distances were known
    BatchDistances distances_;
    const batch::Kernel* by_pointers_ = nullptr;
    std::vector<BatchChoice> by_strides_;
    TimedTrials trials_;  // 0: by pointers; then by strides
    ShapeFits fits_;      // of the strided batch
    bool fits_begun_ = false;
};

/// Remembered by each thread. Null in the first call with these arrays: what is used once is not
/// worth a look.
KnownPointers* known_pointers(const BatchKey& key, const Batch& batch);

}  // namespace gemmill
