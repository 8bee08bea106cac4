// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_pointers.hpp"

#include "backend/cuda/batch/batch_estimate.hpp"

namespace gemmill {

std::optional<batch::PointerGuess> KnownPointers::begin(cudaStream_t stream, const Batch& x) {
    hear(x);
    switch (learner_.next()) {
        case DistanceLearner::Step::pointers:
            return std::nullopt;
        case DistanceLearner::Step::look:
            look(stream, x);
            return std::nullopt;
        case DistanceLearner::Step::strides:
            break;
    }
    const int candidate = trials_.begin(stream);
    const auto strided = at_distances(x, distances_);
    if (candidate == 0 || !strided) return std::nullopt;
    return batch::PointerGuess{
        *strided,     distances_,  by_strides_[static_cast<std::size_t>(candidate - 1)],
        by_pointers_, next_mark(), notice_.get()};
}

void KnownPointers::look(cudaStream_t stream, const Batch& x) {
    BatchNotice* const notice = notice_.get();
    asked_ = next_mark();
    if (notice != nullptr && batch::look_at_distances(x, asked_, notice, stream) == cudaSuccess)
        return;
    cudaGetLastError();
    learner_.answered(false);
}

/// What devices have said since the last call.
void KnownPointers::hear(const Batch& x) {
    if (learner_.is_asked() && notice_.has_answer(asked_)) learner_.answered(take_answer(x));
    if (learner_.is_known() && notice_.last_refuted() != refuted_before_) learner_.refuted();
}

bool KnownPointers::take_answer(const Batch& x) {
    constexpr int most = BatchTrials::most - 1;
    const BatchNotice& notice = *notice_.get();
    distances_ = notice.found;
    refuted_before_ = notice_.last_refuted();
    const auto strided = notice.equal != 0 ? at_distances(x, distances_) : std::nullopt;
    if (!strided) return false;
    by_strides_ = kernels_for(key_.device, *strided, most);
    by_pointers_ = kernels_for(key_.device, x, 1).front();
    trials_ = TimedTrials(key_.device, 1 + static_cast<int>(by_strides_.size()));
    return true;
}

KnownPointers& known_pointers(const BatchKey& key, const Batch& x) {
    constexpr std::size_t places = 64;
    thread_local std::array<KnownPointers, places> memory{};
    const KnownPointers::Arrays arrays{x.a.array, x.b.array, x.c.array};
    std::array<std::uintptr_t, 3> numbers{};
    for (std::size_t i = 0; i < arrays.size(); ++i)
        numbers[i] = reinterpret_cast<std::uintptr_t>(arrays[i]);
    KnownPointers& known = memory[place_of(mixed(numbers, hash_of(key)), places)];
    if (known.key_ == key && known.arrays_ == arrays) return known;
    known.learner_ = {};
    known.trials_ = {};
    known.key_ = key;
    known.arrays_ = arrays;
    return known;
}

}  // namespace gemmill
