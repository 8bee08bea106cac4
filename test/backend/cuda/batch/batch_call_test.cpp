// SPDX-License-Identifier: Apache-2.0
// Whom calls of a batch by pointers are given to, one after the other, without a GPU: time passes
// as a test says, and the device sees what the host does.
#include "backend/cuda/batch/batch_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "backend/cuda/batch/batch_estimate.hpp"
#include "backend/cuda/batch/batch_fits.hpp"
#include "batch/choice/distances.hpp"
#include "batch/choice/trials.hpp"

namespace {

/// What stands in for CUDA, and what calls have done.
struct Device {
    double now = 0;  // seconds
    bool captures = false;
    int looks = 0, fits = 0;
};
Device device;  // NOLINT: the functions of CUDA have no place for it

}  // namespace

struct CUevent_st {
    double at = 0;
};

// The functions of CUDA that are called. NOLINTBEGIN
extern "C" {
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new CUevent_st;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event->at = device.now;
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = static_cast<float>(1e3 * (end->at - begin->at));
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = device.captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    constexpr std::size_t line = 128;
    *memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
    return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
}
// NOLINTEND

namespace gemmill {
namespace {

const batch::Kernel by_pointers{"pointers", 0, 0, nullptr, nullptr};
const batch::Kernel by_strides{"strides", 0, 0, nullptr, nullptr};

bool are_at(const BatchArrays& arrays, const BatchDistances& d) {
    for (index_t p = 0; p < arrays.count; ++p)
        for (int i = 0; i < 3; ++i)
            if (reinterpret_cast<std::uint64_t>(arrays.each[i][p]) !=
                d.each[i].first + static_cast<std::uint64_t>(p * d.each[i].apart))
                return false;
    return true;
}

}  // namespace

std::vector<BatchChoice> choices_for(int, const Batch& x, bool, double) {
    return {{x.c.array != nullptr ? &by_pointers : &by_strides}};
}
bool is_few_on(int, const Batch&) { return false; }

cudaError_t batch::look_at_distances(const Batch& x, unsigned mark, BatchNotice* notice,
                                     cudaStream_t) {
    ++device.looks;
    const BatchArrays arrays = arrays_of(x);
    for (int i = 0; i < 3; ++i) {
        const auto at = [&](int p) { return reinterpret_cast<std::uint64_t>(arrays.each[i][p]); };
        notice->found.each[i] = {at(0), static_cast<std::int64_t>(at(1) - at(0))};
    }
    notice->equal = are_at(arrays, notice->found) ? 1 : 0;
    notice->answered = mark;
    return cudaSuccess;
}

/// Kernels are asked for, and never come.
const batch::FittedKernel* ShapeFits::begin(cudaStream_t, const BatchKey& key, const Batch& x,
                                            double) {
    ++device.fits;
    EXPECT_EQ(key.pointers[2], x.c.array != nullptr);
    return nullptr;
}

namespace test {
namespace {

constexpr double long_enough = 1e-3, too_short = 5e-5;

/// A batch in order, and how long it takes by either way.
struct Calls {
    explicit Calls(double pointers, double strides) : pointers_(pointers), strides_(strides) {
        for (std::size_t i = 0; i < 3; ++i) arrays_[i].resize(count_);
        for (index_t p = 0; p < count_; ++p)
            for (std::size_t i = 0; i < 3; ++i)
                arrays_[i][static_cast<std::size_t>(p)] = &elements_[i][16 * p];
        x_.type = Type::d;
        x_.count = count_;
        x_.m.all = x_.n.all = x_.k.all = 4;
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
            EXPECT_EQ(guess->by_strides, &by_strides);
            EXPECT_EQ(guess->by_pointers, &by_pointers);
            EXPECT_EQ(guess->strided.c.array, nullptr);
            if (!are_at(arrays_of(x_), guess->distances)) guess->notice->refuted = guess->mark;
        }
        return guessed;
    }
    std::array<std::vector<const void*>, 3>& arrays() { return arrays_; }

  private:
    static constexpr index_t count_ = 8;
    std::array<std::array<double, 16 * count_>, 3> elements_{};
    std::array<std::vector<const void*>, 3> arrays_;
    double pointers_, strides_;
    Batch x_;
};

/// What is known is each thread's own: one for each test.
void in_a_thread(const std::function<void()>& test) {
    device = {};
    std::thread(test).join();
}

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

/// Where a guess is faster, the strided batch is fitted.
TEST(BatchCall, is_fitted_once_its_time_is_known) {
    in_a_thread([] {
        Calls calls(too_short, too_short);
        calls.make(BatchTrials::fewer_rounds);
        EXPECT_EQ(device.fits, 0);
        calls.make(30);
        EXPECT_EQ(device.fits, 30);
        device.captures = true;
        calls.make(5);
        calls.make(5, false);
        EXPECT_EQ(device.fits, 30);
    });
    in_a_thread([] {
        Calls calls(long_enough, 0.5 * long_enough);
        calls.make(settled);
        device.fits = 0;
        EXPECT_EQ(calls.make(10), 10);
        EXPECT_EQ(device.fits, 10);
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
}  // namespace test
}  // namespace gemmill
