// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_pointers.hpp"

#include <utility>

#include "backend/cuda/batch/batch_estimate.hpp"

namespace gemmill {

std::optional<batch::PointerGuess> KnownPointers::begin(cudaStream_t stream, const Batch& x,
                                                        double by_pointers) {
    hear(x, by_pointers);
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
    const batch::FittedKernel* fitted = nullptr;
    fits_begun_ = trials_.are_over();
    if (fits_begun_)
        fitted =
            fits_.begin(stream, key_of(key_.device, *strided, false), *strided, trials_.least());
    const batch::Kernel* by_strides = by_strides_[static_cast<std::size_t>(candidate - 1)].kernel;
    return batch::PointerGuess{*strided,     distances_,  by_strides,   fitted,
                               by_pointers_, next_mark(), notice_.get()};
}

void KnownPointers::end(cudaStream_t stream) {
    trials_.end(stream);
    if (std::exchange(fits_begun_, false)) fits_.end(stream);
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
void KnownPointers::hear(const Batch& x, double by_pointers) {
    if (learner_.is_asked() && notice_.has_answer(asked_))
        learner_.answered(take_answer(x, by_pointers));
    if (learner_.is_known() && notice_.last_refuted() != refuted_before_) learner_.refuted();
}

bool KnownPointers::take_answer(const Batch& x, double by_pointers) {
    constexpr double as_fast = 1.1;  // a second one is tried only where it may well be the faster
    const BatchNotice& notice = *notice_.get();
    distances_ = notice.found;
    refuted_before_ = notice_.last_refuted();
    const auto strided = notice.equal != 0 ? at_distances(x, distances_) : std::nullopt;
    if (!strided) return false;
    by_strides_ = choices_for(key_.device, *strided, false, as_fast);
    by_pointers_ = choices_for(key_.device, x, false).front().kernel;
    if (by_strides_.size() > 2) by_strides_.resize(2);
    fits_ = {};
    trials_ = {key_.device,
               BatchTrials::against(by_pointers, static_cast<int>(by_strides_.size()))};
    return true;
}

KnownPointers* known_pointers(const BatchKey& key, const Batch& x) {
    constexpr std::size_t places = 64;
    thread_local std::array<KnownPointers, places> memory{};
    const KnownPointers::Arrays arrays{x.a.array, x.b.array, x.c.array};
    std::array<std::uintptr_t, 3> numbers{};
    for (std::size_t i = 0; i < arrays.size(); ++i)
        numbers[i] = reinterpret_cast<std::uintptr_t>(arrays[i]);
    KnownPointers& known = memory[place_of(mixed(numbers, hash_of(key)), places)];
    if (known.key_ == key && known.arrays_ == arrays) return &known;
    known.learner_ = {};
    known.trials_ = {};
    known.fits_ = {};
    known.key_ = key;
    known.arrays_ = arrays;
    return nullptr;
}

}  // namespace gemmill
