// SPDX-License-Identifier: Apache-2.0
// Kernels for batches on the CPU, and batches of one shape for them.
#pragma once

#include <gtest/gtest.h>

#include "blocks.hpp"
#include "kernel/cuda/part/product.cuh"
#include "support/batch_case.hpp"

namespace gemmill::batch {
extern unsigned char memory[emulated::shared_bytes];  // extern __shared__ of the kernels
}

namespace gemmill::test {

using namespace gemmill::batch;

/// kernel<<<blocks, threads>>>(args...)
template <class F>
void run(int blocks, int threads, F kernel) {
    gridDim.x = blocks;
    blockDim.x = threads;
    for (int b = 0; b < blocks; ++b) {
        blockIdx.x = b;
        std::memset(memory, 0xff, sizeof memory);
        ASSERT_TRUE(emulated::run_block(threads, kernel)) << "all threads wait";
    }
}

/// A random product with at most these sizes; alike: m and k are the edge.
inline GemmCase product(Random& random, Type type, index_t edge, index_t k, bool exact = false) {
    GemmCase one = random_case(random, edge);
    one.type = type;
    one.layout = Layout::ColMajor;
    if (!is_complex(type)) one.alpha.im = one.beta.im = 0;
    one.m = exact ? edge : random.between(1, edge);
    one.n = random.between(1, edge);
    one.k = exact ? k : random.between(0, k);
    return one;
}

template <class T>
constexpr Type device_type = Type::d;
template <>
constexpr Type device_type<float> = Type::s;
template <>
constexpr Type device_type<cuFloatComplex> = Type::c;
template <>
constexpr Type device_type<cuDoubleComplex> = Type::z;
template <>
constexpr Type device_type<__half> = Type::h;
template <>
constexpr Type device_type<__nv_bfloat16> = Type::b;

/// Batches of one shape, each checked.
template <class T, class F>
void sweep(index_t edge, index_t k, F run_kernel, bool exact = false, int times = 12) {
    Random random(7);
    for (int i = 0; i < affordable(times); ++i) {
        const GemmCase one = product(random, device_type<T>, edge, k, exact);
        BatchCase batch(std::vector<GemmCase>(static_cast<std::size_t>(random.between(1, 5)), one),
                        random);
        run_kernel(batch.uniform());
        ASSERT_TRUE(batch.check());
    }
}

}  // namespace gemmill::test
