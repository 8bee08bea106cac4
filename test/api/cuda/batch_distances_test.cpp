// SPDX-License-Identifier: Apache-2.0
// Batches by pointers at equal distances, call after call: kernels for strided batches are tried,
// and what the arrays hold may change at any time.
#include <chrono>

#include "cuda_batch.hpp"
#include "lined_batch.hpp"

namespace gemmill::test {
namespace {

/// So many that the device has looked at the pointers, and everything has been tried.
constexpr int enough_calls = 24;

class CudaBatchDistances : public CudaBatch {
  protected:
    void SetUp() override {
        CudaBatch::SetUp();
        if (context_ == nullptr) return;
        ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    }
    void TearDown() override {
        if (stream_ != nullptr) cudaStreamDestroy(stream_);
        CudaBatch::TearDown();
    }
    template <class T>
    Lined<T> lined(const Sizes& sizes) {
        return Lined<T>(sizes, [this](std::size_t bytes) { return allocate(bytes); });
    }
    template <class T>
    void call(Lined<T>& x) {
        gemm_batch(*context_, Layout::ColMajor, x.batch(), {false, stream_});
        x.expect_a_call();
    }
    /// The host hears of one call before the next, so that everything is tried.
    template <class T>
    void settle(Lined<T>& x, int calls = enough_calls) {
        for (int i = 0; i < calls; ++i) {
            call(x);
            ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
        }
    }
    template <class T>
    ::testing::AssertionResult is_right(const Lined<T>& x) {
        const cudaError_t error = cudaStreamSynchronize(stream_);
        if (error != cudaSuccess) return ::testing::AssertionFailure() << cudaGetErrorString(error);
        return x.check();
    }
    void forget() {
        for (void* pointer : owned_) cudaFree(pointer);
        owned_.clear();
    }

    cudaStream_t stream_ = nullptr;
};

TEST_F(CudaBatchDistances, all_calls_are_right) {
    const auto check = [&]<class T>(T, const Sizes& sizes) {
        Lined<T> x = lined<T>(sizes);
        // A wrong call is seen in all sums that follow.
        settle(x);
        ASSERT_TRUE(is_right(x)) << sizes.m;
        for (int i = 0; i < enough_calls; ++i) call(x);
        ASSERT_TRUE(is_right(x)) << sizes.m;
        forget();
    };
    for (const Sizes& sizes :
         {Sizes{9, 21, 30, 0}, {45, 2, 17, 3}, {3, 3, 3, 0}, {32, 32, 32, 0}}) {
        check(double{}, sizes);
        check(float{}, sizes);
    }
    check(double{}, {70, 66, 40, 2});
    check(std::complex<float>{}, {45, 2, 17, 3});
    check(std::complex<double>{}, {9, 21, 30, 0});
}

/// The host hears later that a guess has become wrong: each call is right all the same.
TEST_F(CudaBatchDistances, contents_of_arrays_change) {
    Lined<double> x = lined<double>({9, 21, 30, 0});
    settle(x);
    ASSERT_TRUE(is_right(x));
    const auto straight = x.in_order();
    auto exchanged = straight, backwards = straight;
    std::swap(exchanged[1], exchanged[exchanged.size() - 1]);
    std::ranges::reverse(backwards);
    for (const auto& order : {exchanged, backwards})
        for (std::size_t of = 0; of < 3; ++of) {
            x.point(of, order);
            for (const int calls : {1, 4}) {
                settle(x, calls);
                ASSERT_TRUE(is_right(x)) << of << " calls " << calls;
            }
            x.point(of, straight);
            settle(x, 3 * enough_calls);
            ASSERT_TRUE(is_right(x)) << of;
        }
}

/// Kernels for equal distances are fitted to the shape, too, in the next second.
TEST_F(CudaBatchDistances, contents_change_after_kernels_are_fitted) {
    Lined<double> x = lined<double>({6, 5, 7, 0});
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500))
        settle(x, 10);
    ASSERT_TRUE(is_right(x));
    auto exchanged = x.in_order();
    std::swap(exchanged[1], exchanged[exchanged.size() - 1]);
    x.point(1, exchanged);
    settle(x, 2);
    ASSERT_TRUE(is_right(x));
}

/// They change while calls wait in the stream, and the guess with them.
TEST_F(CudaBatchDistances, contents_change_in_the_stream) {
    Lined<float> x = lined<float>({20, 12, 9, 1});
    settle(x);
    ASSERT_TRUE(is_right(x));
    const auto straight = x.in_order();
    auto turned = straight;
    std::ranges::rotate(turned, turned.begin() + 1);
    const auto there = [&](std::size_t of, const Lined<float>::Order& order) {
        return copied(x.pointers(of, order).data(), x.count());
    };
    const std::array turned_there{there(0, turned), there(1, turned), there(2, turned)},
        straight_there{there(0, straight), there(1, straight), there(2, straight)};
    for (int round = 0; round < 6; ++round) {
        for (const std::size_t of : {0, 2, 1}) {
            x.point(of, turned, turned_there[of], stream_);
            call(x), call(x);
            if (of == 1 && round % 2 == 0) continue;
            x.point(of, straight, straight_there[of], stream_);
            call(x);
        }
        ASSERT_TRUE(is_right(x)) << round;
        x.point(1, straight, straight_there[1], stream_);
        settle(x);
        ASSERT_TRUE(is_right(x)) << round;
    }
}

TEST_F(CudaBatchDistances, one_a_for_all_products) {
    Lined<double> x = lined<double>({16, 8, 24, 0});
    x.point(0, Lined<double>::Order(static_cast<std::size_t>(x.count()), 3));
    settle(x);
    ASSERT_TRUE(is_right(x));
}

/// Equal distances, but some other ones than before.
TEST_F(CudaBatchDistances, distances_change) {
    Lined<double> x = lined<double>({12, 10, 14, 0});
    settle(x);
    ASSERT_TRUE(is_right(x));
    x.point(0, Lined<double>::Order(static_cast<std::size_t>(x.count()), 7));
    settle(x, 2 * enough_calls);
    ASSERT_TRUE(is_right(x));
}

TEST_F(CudaBatchDistances, arrays_of_two_streams) {
    cudaStream_t other = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    Lined<double> x = lined<double>({11, 13, 15, 0}), y = lined<double>({11, 13, 15, 0});
    const auto both = [&](int calls, bool waits) {
        for (int i = 0; i < calls; ++i) {
            call(x);
            gemm_batch(*context_, Layout::ColMajor, y.batch(), {false, other});
            y.expect_a_call();
            ASSERT_EQ(waits ? cudaDeviceSynchronize() : cudaSuccess, cudaSuccess);
        }
    };
    both(enough_calls, true);
    auto turned = y.in_order();
    std::ranges::reverse(turned);
    y.point(1, turned);
    both(enough_calls, false);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_TRUE(is_right(x));
    ASSERT_TRUE(y.check());
    cudaStreamDestroy(other);
}

/// A graph reads the arrays when it runs, whatever was known when it was captured.
TEST_F(CudaBatchDistances, in_a_graph) {
    Lined<double> x = lined<double>({9, 21, 30, 0});
    settle(x);
    ASSERT_TRUE(is_right(x));
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    gemm_batch(*context_, Layout::ColMajor, x.batch(), {false, stream_});
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    cudaGraphExec_t runnable = nullptr;
    ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
    auto turned = x.in_order();
    std::ranges::reverse(turned);
    for (int i = 0; i < 4; ++i) {
        x.point(static_cast<std::size_t>(i % 3), i < 2 ? turned : x.in_order());
        ASSERT_EQ(cudaGraphLaunch(runnable, stream_), cudaSuccess);
        x.expect_a_call();
        ASSERT_TRUE(is_right(x)) << i;
        call(x);
        ASSERT_TRUE(is_right(x)) << i;
    }
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace gemmill::test
