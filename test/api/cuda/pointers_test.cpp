// SPDX-License-Identifier: Apache-2.0
// Matrices in every kind of memory that CUDA hands out, through the public interface.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gemmill/gemmill.hpp"

namespace gemmill::test {
namespace {

constexpr index_t n = 1000;
constexpr std::size_t bytes = n * n * sizeof(double);

struct Kind {
    const char* name;
    std::function<cudaError_t(void**)> get;
    std::function<cudaError_t(void*)> give;
};

const Kind kinds[] = {
    {"device", [](void** p) { return cudaMalloc(p, bytes); }, cudaFree},
    {"pinned", [](void** p) { return cudaMallocHost(p, bytes); }, cudaFreeHost},
    {"managed", [](void** p) { return cudaMallocManaged(p, bytes, cudaMemAttachGlobal); },
     cudaFree},
    {"stream_ordered",
     [](void** p) {
         const cudaError_t error = cudaMallocAsync(p, bytes, nullptr);
         return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
     },
     cudaFree},
};

/// Ones in memory of a kind.
class Ones {
  public:
    explicit Ones(const Kind& kind) : kind_(kind) {
        const std::vector<double> ones(n * n, 1.0);
        EXPECT_EQ(kind.get(&data_), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(data_, ones.data(), bytes, cudaMemcpyDefault), cudaSuccess);
    }
    ~Ones() { kind_.give(data_); }
    Ones(const Ones&) = delete;
    Ones& operator=(const Ones&) = delete;

    double* data() const { return static_cast<double*>(data_); }
    std::vector<double> on_host() const {
        std::vector<double> values(n * n);
        EXPECT_EQ(cudaMemcpy(values.data(), data_, bytes, cudaMemcpyDefault), cudaSuccess);
        return values;
    }

  private:
    const Kind& kind_;
    void* data_ = nullptr;
};

class CudaPointers : public ::testing::Test {
  protected:
    void SetUp() override {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
        Options options;
        options.devices = "cuda:0";
        own_ = std::make_unique<Context>(options);
    }
    Context& context() { return *own_; }

  private:
    std::unique_ptr<Context> own_;
};

/// Even behind others: a stream that waits for none of them finds it.
TEST_F(CudaPointers, a_copy_within_a_gpu_is_done_when_it_returns) {
    constexpr std::size_t large = std::size_t{1} << 30;
    constexpr int value = 7, others = 8;
    auto* const zeros = static_cast<unsigned char*>(context().allocate(0, large));
    auto* const values = static_cast<unsigned char*>(context().allocate(0, large));
    auto* const to = static_cast<unsigned char*>(context().allocate(0, large));
    auto* const last = static_cast<unsigned char*>(context().allocate_host(1));
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaMemset(zeros, 0, large), cudaSuccess);
    ASSERT_EQ(cudaMemset(values, value, large), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < others; ++i) context().copy(to, zeros, large);
    context().copy(to, values, large);
    ASSERT_EQ(cudaMemcpyAsync(last, to + large - 1, 1, cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(*last, value);
    cudaStreamDestroy(stream);
}

TEST_F(CudaPointers, any_mix_of_memories) {
    for (const Kind& of_a : kinds)
        for (const Kind& of_b : kinds)
            for (const Kind& of_c : kinds) {
                const Ones a(of_a), b(of_b), c(of_c);
                gemm<double>(context(), Layout::ColMajor, Op::Trans, Op::NoTrans, n, n, n, 2.0,
                             a.data(), n, b.data(), n, 3.0, c.data(), n);
                const std::vector<double> result = c.on_host();
                EXPECT_EQ(std::ranges::count(result, 2.0 * n + 3), n * n)
                    << of_a.name << ", " << of_b.name << ", " << of_c.name;
            }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error of ours was left to the caller";
}

}  // namespace
}  // namespace gemmill::test
