// SPDX-License-Identifier: Apache-2.0
// What a plan is told of a call.
#include "api/call.hpp"

#include <gtest/gtest.h>

#include <array>

#include "gemmill/context.hpp"

namespace gemmill::test {
namespace {

class Describe : public ::testing::Test {
  protected:
    static Options options() {
        Options made;
        made.devices = "cpu:1";
        return made;
    }
    Describe() : context_(options()) {
        for (void*& matrix : on_device_) matrix = context_.allocate(0, 64 * 64 * 8);
    }
    ~Describe() override {
        for (void* const matrix : on_device_) context_.release(matrix);
    }
    Problem described(const std::array<void*, 3>& data, const std::array<index_t, 3>& ld) {
        Level3Args call;
        call.routine = Routine::gemm, call.type = Type::d;
        call.m = call.n = call.k = 32;
        call.alpha = {1, 0};
        call.a = data[0], call.b = data[1], call.c = data[2];
        call.lda = ld[0], call.ldb = ld[1], call.ldc = ld[2];
        return describe(context_, call);
    }

    Context context_;
    std::array<void*, 3> on_device_{};
    std::array<double, 64 * 64> host_{};
};

TEST_F(Describe, how_far_columns_are_apart_counts_on_devices) {
    using Pitch = std::array<index_t, 3>;
    EXPECT_EQ(described(on_device_, {32, 32, 32}).pitch, (Pitch{0, 0, 0}));
    EXPECT_EQ(described(on_device_, {33, 48, 64}).pitch, (Pitch{1, 16, 64}));
    void* const host = host_.data();
    EXPECT_EQ(described({host, on_device_[1], host}, {33, 35, 35}).pitch, (Pitch{0, 1, 0}));
}

TEST_F(Describe, parts_of_one_matrix_have_plans_in_common) {
    EXPECT_EQ(described(on_device_, {41, 41, 41}), described(on_device_, {57, 57, 57}));
    EXPECT_NE(described(on_device_, {41, 41, 41}), described(on_device_, {40, 40, 40}));
}

}  // namespace
}  // namespace gemmill::test
