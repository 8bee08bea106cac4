// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_call.hpp"

#include <array>
#include <vector>

#include "backend/cuda/batch/batch_estimate.hpp"
#include "backend/cuda/batch/batch_fits.hpp"
#include "backend/cuda/batch/batch_key.hpp"
#include "backend/cuda/batch/batch_pointers.hpp"
#include "backend/cuda/batch/batch_timing.hpp"

namespace gemmill {

/// A shape, who may make it, and what is known of them.
struct KnownShape {
    BatchKey key;
    std::vector<BatchChoice> choices;
    TimedTrials trials;
    ShapeFits fits;
    bool few = false;
};

namespace {

KnownShape& known_shape(const BatchKey& key, const Batch& x) {
    constexpr std::size_t places = 256;
    thread_local std::array<KnownShape, places> memory{};
    KnownShape& known = memory[place_of(hash_of(key), places)];
    if (known.key == key) return known;
    known.choices = choices_for(key.device, x, key.cublas_may);
    known.few = is_few_on(key.device, x);
    // What others have to beat is known of all.
    const bool alone = known.choices.size() == 1 && !known.few;
    known.trials = {key.device, alone ? BatchTrials::of_one()
                                      : BatchTrials(static_cast<int>(known.choices.size()))};
    known.fits = {};
    known.key = key;
    return known;
}

}  // namespace

BatchCall::BatchCall(int device, cudaStream_t stream, const Batch& batch, bool cublas_may,
                     bool may_try)
    : stream_(stream) {
    KnownShape& shape = known_shape(key_of(device, batch, cublas_may), batch);
    choice_ = shape.choices.front();
    if (!may_try) return;
    shape_ = &shape;
    choice_ = shape.choices[static_cast<std::size_t>(shape.trials.begin(stream))];
    if (shape.few) return;
    begin_guess(shape, batch);
    if (guess_ || !shape.trials.are_over() || batch::is_captured(stream)) return;
    fits_ = &shape.fits;
    if (const auto* fitted = fits_->begin(stream, shape.key, batch, shape.trials.least()))
        choice_ = {nullptr, false, fitted};
}

void BatchCall::begin_guess(const KnownShape& shape, const Batch& batch) {
    const double by_pointers = shape.trials.least();
    if (!may_have_distances(batch) || !is_worth_a_guess(by_pointers)) return;
    KnownPointers* const pointers = known_pointers(shape.key, batch);
    if (pointers == nullptr || !shape.trials.are_over() || batch::is_captured(stream_)) return;
    pointers_ = pointers;
    guess_ = pointers->begin(stream_, batch, by_pointers);
}

BatchCall::~BatchCall() {
    if (shape_ != nullptr) shape_->trials.end(stream_);
    if (pointers_ != nullptr) pointers_->end(stream_);
    if (fits_ != nullptr) fits_->end(stream_);
}

}  // namespace gemmill
