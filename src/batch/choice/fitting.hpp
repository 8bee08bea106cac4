// SPDX-License-Identifier: Apache-2.0
// When kernels are fitted to a shape. Also compiled into the CUDA part.
#pragma once

namespace gemmill {

/// Compiling takes some tenths of a second of another core. It begins when the calls of a shape
/// have taken a few percent of that: a program that goes on has its reward, and one that calls many
/// shapes a few times each compiles nothing.
class FittingPace {
  public:
    enum class Step { without, ask, wait, use };

    /// What is to be done before a call that takes so many seconds without.
    Step next(double seconds) {
        constexpr double worthwhile = 0.01;
        if (step_ == Step::ask) step_ = Step::wait;
        spent_ += seconds;
        if (step_ == Step::without && !never_ && spent_ >= worthwhile) step_ = Step::ask;
        return step_;
    }
    /// They are there, or never will be.
    void answered(bool any) {
        step_ = any ? Step::use : Step::without;
        never_ = !any;
    }

  private:
    Step step_ = Step::without;
    bool never_ = false;
    double spent_ = 0;
};

}  // namespace gemmill
