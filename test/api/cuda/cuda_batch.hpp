// SPDX-License-Identifier: Apache-2.0
// What tests of batches on a GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gemmill/gemmill.hpp"
#include "support/batch_case.hpp"

namespace gemmill::test {

inline bool has_gpu() {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) cudaGetLastError();
    return error == cudaSuccess && devices > 0;
}

class CudaBatch : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!has_gpu()) GTEST_SKIP() << "no GPU";
        Options options;
        options.devices = "cuda:0";
        context_ = std::make_unique<Context>(options);
    }
    void TearDown() override {
        if (context_ == nullptr) return;
        for (void* pointer : owned_) cudaFree(pointer);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error of ours was left to the caller";
    }

    /// Matrices of a batch live on the GPU.
    BatchCase::Places on_gpu() {
        BatchCase::Places places{};
        for (Guarded::Place& place : places) {
            place.allocate = [this](std::size_t bytes) { return allocate(bytes); };
            place.copy = [](void* to, const void* from, std::size_t bytes) {
                ASSERT_EQ(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), cudaSuccess);
            };
        }
        return places;
    }
    void* allocate(std::size_t bytes) {
        void* pointer = nullptr;
        EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
        owned_.push_back(pointer);
        return pointer;
    }
    template <class V>
    const V* copied(const V* values, index_t count) {
        auto* there = static_cast<V*>(allocate(sizeof(V) * static_cast<std::size_t>(count) + 1));
        EXPECT_EQ(cudaMemcpy(there, values, sizeof(V) * static_cast<std::size_t>(count),
                             cudaMemcpyDefault),
                  cudaSuccess);
        return there;
    }
    /// The same batch with all its arrays on the GPU.
    Batch arrays_on_gpu(const Batch& batch) {
        Batch x = batch;
        for (auto* of : {&x.m, &x.n, &x.k, &x.a.ld, &x.b.ld, &x.c.ld})
            if (of->each != nullptr) of->each = copied(of->each, x.count);
        for (auto* of : {&x.op_a, &x.op_b})
            if (of->each != nullptr) of->each = copied(of->each, x.count);
        const index_t bytes = is_short(x.type) ? 4 : bytes_of(x.type);
        for (auto* of : {&x.alpha, &x.beta})
            if (of->each != nullptr)
                of->each = copied(static_cast<const std::byte*>(of->each), x.count * bytes);
        for (auto* of : {&x.a, &x.b, &x.c})
            if (of->array != nullptr) of->array = copied(of->array, x.count);
        return x;
    }

    std::unique_ptr<Context> context_;
    std::vector<void*> owned_;
};

}  // namespace gemmill::test
