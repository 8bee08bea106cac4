// SPDX-License-Identifier: Apache-2.0
// When kernels are fitted to a shape, and which of them stay, without a GPU.
#include "backend/cuda/batch/batch_fits.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "backend/cuda/batch/batch_call.hpp"
#include "batch/choice/trials.hpp"
#include "fake_device.hpp"

namespace gemmill::test {
namespace {

constexpr double without = 1e-3;
constexpr int long_enough = 20;  // calls

/// Calls of a strided batch, of another shape for each: what was made stays.
class Calls {
  public:
    Calls() : Calls(++shapes_) {}
    explicit Calls(int shape) : shape_(shape) {
        x_.type = Type::d;
        x_.count = 100;
        x_.m.all = shape, x_.n.all = x_.k.all = 4;
        x_.alpha.all = {1, 0};
    }
    int shape() const { return shape_; }
    /// How many were made by fitted kernels, which take so long in the order of their first calls.
    int make(int calls, const std::vector<double>& seconds = {}, bool may_try = true) {
        int fitted = 0;
        for (int i = 0; i < calls; ++i) {
            const BatchCall call(0, nullptr, x_, false, may_try);
            const batch::FittedKernel* const kernel = call.choice().fitted;
            if (kernel == nullptr) {
                device.now += without;
                continue;
            }
            ++fitted;
            const auto number = numbers_.try_emplace(kernel, numbers_.size()).first->second;
            ++calls_[number];
            device.now += seconds.at(number);
        }
        return fitted;
    }
    int calls_of(std::size_t kernel) const {
        const auto found = calls_.find(kernel);
        return found == calls_.end() ? 0 : found->second;
    }

  private:
    static inline int shapes_ = 0;
    int shape_;
    Batch x_;
    std::map<const batch::FittedKernel*, std::size_t> numbers_;
    std::map<std::size_t, int> calls_;
};

void wait_until_fitted() {
    while (is_fitting()) std::this_thread::yield();
}

TEST(BatchFits, calls_go_on_without_until_kernels_are_there_and_the_fastest_stays) {
    in_a_thread([] {
        compiler.worthwhile = 2, compiler.waits = true;
        Calls calls;
        EXPECT_EQ(calls.make(5), 0);
        EXPECT_FALSE(is_fitting()) << "too early";
        EXPECT_EQ(calls.make(50), 0);
        EXPECT_TRUE(is_fitting());
        compiler.waits = false;
        wait_until_fitted();
        EXPECT_EQ(compiler.made, 2);
        calls.make(30, {0.9 * without, 0.8 * without});
        EXPECT_EQ(calls.calls_of(0), BatchTrials::fewer_rounds);
        EXPECT_EQ(calls.make(10, {0.9 * without, 0.8 * without}), 10);
        EXPECT_GE(calls.calls_of(1), 10 + BatchTrials::fewer_rounds);
    });
}

TEST(BatchFits, what_is_no_faster_is_tried_and_left) {
    in_a_thread([] {
        compiler.worthwhile = 2;
        Calls calls;
        calls.make(long_enough);
        wait_until_fitted();
        const std::vector<double> seconds{without, 1.2 * without};
        EXPECT_EQ(calls.make(30, seconds), 2 * BatchTrials::fewer_rounds);
        EXPECT_EQ(calls.make(30, seconds), 0);
    });
}

TEST(BatchFits, what_cannot_be_made_or_is_not_worthwhile_changes_nothing) {
    in_a_thread([] {
        for (const int worthwhile : {0, 2}) {
            compiler.worthwhile = worthwhile, compiler.fails = true;
            Calls calls;
            calls.make(long_enough);
            wait_until_fitted();
            EXPECT_EQ(calls.make(100), 0);
            EXPECT_FALSE(is_fitting()) << "it is not asked for again";
        }
    });
}

TEST(BatchFits, threads_share_what_was_made) {
    int shape = 0;
    in_a_thread([&] {
        compiler.worthwhile = 1;
        Calls calls;
        shape = calls.shape();
        calls.make(long_enough);
        wait_until_fitted();
        EXPECT_GT(calls.make(long_enough, {0.5 * without}), 0);
    });
    in_a_thread([&] {
        Calls calls(shape);
        EXPECT_GT(calls.make(2 * long_enough, {0.5 * without}), 0);
        EXPECT_EQ(compiler.made, 0);
    });
}

TEST(BatchFits, nothing_is_fitted_without_trials_or_in_a_graph) {
    in_a_thread([] {
        compiler.worthwhile = 1;
        Calls calls;
        calls.make(5 * long_enough, {}, false);
        calls.make(5);
        device.captures = true;
        calls.make(5 * long_enough);
        EXPECT_FALSE(is_fitting());
        EXPECT_EQ(compiler.made, 0);
        device.captures = false;
        calls.make(long_enough);
        wait_until_fitted();
        EXPECT_EQ(compiler.made, 1);
        calls.make(long_enough, {0.5 * without});
        EXPECT_EQ(calls.make(5, {}, false), 0) << "others have the same bits in all calls";
        device.captures = true;
        EXPECT_EQ(calls.make(5), 0);
    });
}

}  // namespace
}  // namespace gemmill::test
