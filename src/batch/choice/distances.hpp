// SPDX-License-Identifier: Apache-2.0
// A batch by pointers may be one at equal distances, for which there are faster kernels. That is
// learned from call to call. Also compiled into the CUDA part.
#pragma once

#include <optional>

#include "kernel/batch_distances.hpp"

namespace gemmill {

/// Whether it is worth to learn how far apart the matrices of a batch of one shape are: it
/// multiplies, and some of its matrices are given by pointers.
bool may_have_distances(const Batch& batch);

/// The batch with strides in the place of its arrays, if pointers are at these distances. None
/// where a strided batch could not be so: parts of an element, one C for several products, or more
/// than memory holds. Distances that go backwards are left to pointers as well.
std::optional<Batch> at_distances(const Batch& batch, const BatchDistances& distances);

/// Whether a batch that takes so long by pointers is worth a guess, which costs two kernels more in
/// each call: one verifies, and one ends at its gate. What strides save is a part of the time that
/// a batch takes, and seldom a large one. Where the two take more than an eighth of it, they take
/// most of what could be saved.
inline bool is_worth_a_guess(double seconds) {
    constexpr double one_kernel = 6e-6;  // 4 for the host to launch it, 2 to begin and end
    constexpr double part = 1.0 / 8;
    return 2 * one_kernel <= part * seconds;
}

/// What the host does in each call of a batch with the same shape and the same arrays, whose
/// contents may change at any time. The first call has the device look at them. Where that, or a
/// later call, finds other pointers, the device looks again after a pause, which doubles each time.
class DistanceLearner {
  public:
    static constexpr int first_pause = 16, longest_pause = 1 << 16;

    enum class Step {
        pointers,  ///< nothing but what is always done
        look,      ///< let the device look, and make the products by pointers meanwhile
        strides,   ///< the distances are known: a guess may be tried
    };
    Step next() {
        if (state_ == State::known) return Step::strides;
        if (state_ == State::asked || --calls_left_ > 0) return Step::pointers;
        state_ = State::asked;
        return Step::look;
    }

    bool is_asked() const { return state_ == State::asked; }
    bool is_known() const { return state_ == State::known; }
    /// What the device said, when it has said so: whether the distances can be used.
    void answered(bool usable) {
        if (usable)
            state_ = State::known;
        else
            pause();
    }
    /// Pointers were not where they were expected.
    void refuted() { pause(); }

  private:
    enum class State { unknown, asked, known };
    void pause() {
        state_ = State::unknown;
        calls_left_ = pause_;
        if (pause_ < longest_pause) pause_ *= 2;
    }

    State state_ = State::unknown;
    int calls_left_ = 1, pause_ = first_pause;
};

}  // namespace gemmill
