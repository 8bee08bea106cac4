// SPDX-License-Identifier: Apache-2.0
// A batch by pointers whose matrices lie at equal distances on a GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "gemmill/gemmill.hpp"

namespace gemmill::test {

struct Sizes {
    index_t m, n, k, gap;  // gap: elements between matrices
};

/// Matrices at equal distances on the GPU, each of one value, with NaN between them. C grows by
/// A B in each call; all numbers are integers, so that each result is exact.
template <class T>
class Lined {
  public:
    using Make = std::function<void*(std::size_t bytes)>;
    using Order = std::vector<index_t>;

    /// So many that a guess is worth it on a GPU that moves 4 TB/s.
    Lined(const Sizes& sizes, const Make& make) : s_(sizes) {
        constexpr index_t bytes = 1200 << 20;
        const index_t of_one = s_.m * s_.k + s_.k * s_.n + 2 * s_.m * s_.n;
        count_ = bytes / (of_one * static_cast<index_t>(sizeof(T)));
        apart_ = {s_.m * s_.k + s_.gap, s_.k * s_.n + s_.gap, s_.m * s_.n + s_.gap};
        for (std::size_t of = 0; of < 3; ++of) {
            for (index_t i = 0; i < count_; ++i)
                values_[of].push_back(static_cast<float>(1 + i % (of == 0 ? 5 : 3)));
            const std::vector<T> all = filled(of);
            data_[of] = static_cast<T*>(make(sizeof(T) * all.size()));
            copy(data_[of], all.data(), sizeof(T) * all.size());
            arrays_[of] =
                static_cast<const void**>(make(sizeof(void*) * static_cast<std::size_t>(count_)));
            point(of, in_order());
        }
    }

    index_t count() const { return count_; }
    /// Changes what an array holds, not where it is.
    void point(std::size_t of, const Order& order) {
        order_[of] = order;
        const std::vector<const void*> all = pointers(of, order);
        copy(arrays_[of], all.data(), sizeof(void*) * all.size());
    }
    /// The same behind what is in a stream, by pointers that lie on the GPU already.
    void point(std::size_t of, const Order& order, const void* there, cudaStream_t stream) {
        order_[of] = order;
        ASSERT_EQ(cudaMemcpyAsync(arrays_[of], there, sizeof(void*) * order.size(),
                                  cudaMemcpyDeviceToDevice, stream),
                  cudaSuccess);
    }
    std::vector<const void*> pointers(std::size_t of, const Order& order) const {
        std::vector<const void*> all;
        for (const index_t i : order) all.push_back(data_[of] + begin + i * apart_[of]);
        return all;
    }
    Order in_order() const {
        Order order(static_cast<std::size_t>(count_));
        std::iota(order.begin(), order.end(), index_t{0});
        return order;
    }

    Batch batch() const {
        Batch x;
        x.type = type_of<T>;
        x.count = count_;
        x.m = {s_.m}, x.n = {s_.n}, x.k = {s_.k};
        x.alpha.all = {1, 0}, x.beta.all = {1, 0};
        x.a = {nullptr, 0, arrays_[0], {s_.m}};
        x.b = {nullptr, 0, arrays_[1], {s_.k}};
        x.c = {nullptr, 0, arrays_[2], {s_.m}};
        return x;
    }
    /// The batch was put into a stream once.
    void expect_a_call() {
        for (std::size_t i = 0; i < order_[2].size(); ++i)
            value(2, order_[2][i]) +=
                static_cast<float>(s_.k) * value(0, order_[0][i]) * value(1, order_[1][i]);
    }
    /// Nothing but C was written.
    ::testing::AssertionResult check() const {
        const std::vector<T> expected = filled(2);
        std::vector<T> found(expected.size());
        copy(found.data(), data_[2], sizeof(T) * found.size());
        for (std::size_t e = 0; e < found.size(); ++e)
            if (std::isnan(std::abs(expected[e])) ? !std::isnan(std::abs(found[e]))
                                                  : found[e] != expected[e])
                return ::testing::AssertionFailure() << "element " << e << " of C";
        return ::testing::AssertionSuccess();
    }

  private:
    static constexpr index_t begin = 16;  // elements before the first matrix, and behind the last

    float& value(std::size_t of, index_t i) { return values_[of][static_cast<std::size_t>(i)]; }
    std::vector<T> filled(std::size_t of) const {
        std::vector<T> all(static_cast<std::size_t>(2 * begin + count_ * apart_[of]),
                           T(std::numeric_limits<float>::quiet_NaN()));
        for (index_t i = 0; i < count_; ++i)
            std::fill_n(all.begin() + begin + i * apart_[of], apart_[of] - s_.gap,
                        T(values_[of][static_cast<std::size_t>(i)]));
        return all;
    }
    static void copy(void* to, const void* from, std::size_t bytes) {
        ASSERT_EQ(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }

    Sizes s_;
    index_t count_ = 0;
    std::array<index_t, 3> apart_{};
    std::array<std::vector<float>, 3> values_;  // of all elements of a matrix
    std::array<T*, 3> data_{};
    std::array<const void**, 3> arrays_{};
    std::array<Order, 3> order_;
};

}  // namespace gemmill::test
