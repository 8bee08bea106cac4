// SPDX-License-Identifier: Apache-2.0
// What stands in for CUDA where batches are given to kernels: time passes as a test says, the
// device sees what the host does, and kernels are fitted as a test lets them.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "backend/cuda/batch/batch_table.hpp"
#include "kernel/batch_distances.hpp"

namespace gemmill::test {

/// What calls have done, and see.
struct Device {
    double now = 0;  // seconds
    bool captures = false;
    int looks = 0;
};
extern Device device;  // the functions of CUDA have no other place for it

/// What compiles, in a thread of its own.
struct Compiler {
    std::atomic<int> worthwhile{0};  // kernels of a shape
    std::atomic<bool> waits{false};  // nothing is made meanwhile
    std::atomic<bool> fails{false};
    std::atomic<int> made{0};
};
extern Compiler compiler;

extern const batch::Kernel by_pointers, by_strides;

bool are_at(const BatchArrays& arrays, const BatchDistances& distances);

/// What is known is each thread's own: one for each test.
void in_a_thread(const std::function<void()>& test);

}  // namespace gemmill::test
