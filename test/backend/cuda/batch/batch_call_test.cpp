// SPDX-License-Identifier: Apache-2.0
// Whom calls of a batch by pointers are given to, one after the other, without a GPU: time passes
// as a test says, and the device sees what the host does.
#include "backend/cuda/batch/batch_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "backend/cuda/batch/batch_fits.hpp"
#include "batch/choice/distances.hpp"
#include "batch/choice/trials.hpp"
#include "fake_device.hpp"

namespace gemmill::test {
namespace {

constexpr double long_enough = 1e-3, too_short = 5e-5;

/// A batch in order, and how long it takes by either way.
struct Calls {
    Calls(double pointers, double strides, index_t rows = 4)
        : pointers_(pointers), strides_(strides) {
        for (std::size_t i = 0; i < 3; ++i) arrays_[i].resize(count_);
        for (index_t p = 0; p < count_; ++p)
            for (std::size_t i = 0; i < 3; ++i)
                arrays_[i][static_cast<std::size_t>(p)] = &elements_[i][16 * p];
        x_.type = Type::d;
        x_.count = count_;
        x_.m.all = rows, x_.n.all = x_.k.all = 4;
        x_.alpha.all = {1, 0};
        use(arrays_);
    }
    void use(const std::array<std::vector<const void*>, 3>& arrays) {
        x_.a.array = arrays[0].data(), x_.b.array = arrays[1].data();
        x_.c.array = const_cast<void* const*>(arrays[2].data());
    }
    /// Returns how many of them were made by a guess.
    int make(int calls, bool may_try = true) {
        int guessed = 0;
        for (int i = 0; i < calls; ++i) {
            const BatchCall call(0, nullptr, x_, false, may_try);
            const batch::PointerGuess* const guess = call.guess();
            device.now += guess != nullptr ? strides_ : pointers_;
            if (guess == nullptr) continue;
            ++guessed;
            if (guess->fitted != nullptr) ++fitted_;
            EXPECT_EQ(guess->by_strides, &by_strides);
            EXPECT_EQ(guess->by_pointers, &by_pointers);
            EXPECT_EQ(guess->strided.c.array, nullptr);
            if (!are_at(arrays_of(x_), guess->distances)) guess->notice->refuted = guess->mark;
        }
        return guessed;
    }
    std::array<std::vector<const void*>, 3>& arrays() { return arrays_; }
    /// Of those, the ones by a fitted kernel.
    int fitted() const { return fitted_; }

  private:
    static constexpr index_t count_ = 8;
    std::array<std::array<double, 16 * count_>, 3> elements_{};
    std::array<std::vector<const void*>, 3> arrays_;
    double pointers_, strides_;
    int fitted_ = 0;
    Batch x_;
};

constexpr int settled = 12;

TEST(BatchCall, a_guess_that_is_faster_stays) {
    in_a_thread([] {
        Calls calls(long_enough, 0.9 * long_enough);
        EXPECT_EQ(calls.make(2), 0) << "the time by pointers is not known";
        calls.make(settled);
        EXPECT_EQ(calls.make(30), 30);
        EXPECT_EQ(device.looks, 1);
    });
}

TEST(BatchCall, a_guess_that_is_not_faster_is_tried_and_left) {
    in_a_thread([] {
        Calls calls(long_enough, 0.99 * long_enough);
        EXPECT_EQ(calls.make(settled), BatchTrials::fewer_rounds);
        EXPECT_EQ(calls.make(30), 0);
    });
}

TEST(BatchCall, short_batches_are_not_looked_at) {
    in_a_thread([] {
        Calls calls(too_short, 0.5 * too_short);
        EXPECT_EQ(calls.make(50), 0);
        EXPECT_EQ(device.looks, 0);
    });
}

TEST(BatchCall, without_trials_nothing_is_guessed) {
    in_a_thread([] {
        Calls calls(long_enough, 0.5 * long_enough);
        EXPECT_EQ(calls.make(50, false), 0);
        EXPECT_EQ(device.looks, 0);
        calls.make(settled);
        EXPECT_EQ(calls.make(50, false), 0) << "not when others have found it faster either";
    });
}

/// Where a guess is faster, the strided batch is fitted, and is made so behind the guess.
TEST(BatchCall, the_strided_batch_of_a_guess_is_fitted) {
    in_a_thread([] {
        compiler.worthwhile = 1;
        Calls calls(long_enough, 0.5 * long_enough, 3);  // of a shape that no other test has
        calls.make(settled + 40);
        while (is_fitting()) std::this_thread::yield();
        EXPECT_EQ(compiler.made, 1);
        EXPECT_EQ(calls.make(10), 10);
        EXPECT_GT(calls.fitted(), 0);
    });
}

TEST(BatchCall, nothing_is_guessed_in_a_graph) {
    in_a_thread([] {
        Calls calls(long_enough, 0.5 * long_enough);
        calls.make(settled);
        device.captures = true;
        EXPECT_EQ(calls.make(5), 0);
        device.captures = false;
        EXPECT_EQ(calls.make(5), 5);
    });
}

TEST(BatchCall, arrays_that_are_used_once_are_not_looked_at) {
    in_a_thread([] {
        Calls calls(long_enough, 0.5 * long_enough);
        std::vector<std::array<std::vector<const void*>, 3>> others(40, calls.arrays());
        for (const auto& arrays : others) {
            calls.use(arrays);
            EXPECT_EQ(calls.make(1), 0);
        }
        EXPECT_EQ(device.looks, 0);
    });
}

TEST(BatchCall, a_wrong_guess_is_heard_of_and_looked_at_again_after_a_pause) {
    in_a_thread([] {
        Calls calls(long_enough, 0.5 * long_enough);
        calls.make(settled);
        std::swap(calls.arrays()[1][2], calls.arrays()[1][3]);
        EXPECT_EQ(calls.make(DistanceLearner::first_pause), 1) << "the one that was wrong";
        EXPECT_EQ(device.looks, 1);
        calls.make(2);
        EXPECT_EQ(device.looks, 2) << "which finds no equal distances";
        std::swap(calls.arrays()[1][2], calls.arrays()[1][3]);
        calls.make(2 * DistanceLearner::first_pause + settled);
        EXPECT_EQ(device.looks, 3);
        EXPECT_EQ(calls.make(20), 20);
    });
}

}  // namespace
}  // namespace gemmill::test
