// SPDX-License-Identifier: Apache-2.0
#include "fake_device.hpp"

#include <cstdlib>
#include <memory>
#include <numeric>
#include <thread>

#include "backend/cuda/batch/batch_estimate.hpp"
#include "kernel/cuda/pointers/guess.hpp"

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
    event->at = gemmill::test::device.now;
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = static_cast<float>(1e3 * (end->at - begin->at));
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = gemmill::test::device.captures ? cudaStreamCaptureStatusActive
                                             : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    constexpr std::size_t line = 128;
    *memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
    return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
}
// NOLINTEND

namespace gemmill {

std::vector<BatchChoice> choices_for(int, const Batch& x, bool, double) {
    return {{x.c.array != nullptr ? &test::by_pointers : &test::by_strides}};
}
bool is_few_on(int, const Batch&) { return false; }
std::vector<int> fits_for(int, const Batch&) {
    std::vector<int> all(static_cast<std::size_t>(test::compiler.worthwhile));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::unique_ptr<batch::FittedKernel> batch::FittedKernel::make(const Batch&, int) {
    while (test::compiler.waits) std::this_thread::yield();
    if (test::compiler.fails) return nullptr;
    ++test::compiler.made;
    return std::unique_ptr<FittedKernel>(new FittedKernel);
}
batch::FittedKernel::~FittedKernel() = default;

cudaError_t batch::look_at_distances(const Batch& x, unsigned mark, BatchNotice* notice,
                                     cudaStream_t) {
    ++test::device.looks;
    const BatchArrays arrays = arrays_of(x);
    for (int i = 0; i < 3; ++i) {
        const auto at = [&](int p) { return reinterpret_cast<std::uint64_t>(arrays.each[i][p]); };
        notice->found.each[i] = {at(0), static_cast<std::int64_t>(at(1) - at(0))};
    }
    notice->equal = test::are_at(arrays, notice->found) ? 1 : 0;
    notice->answered = mark;
    return cudaSuccess;
}

namespace test {

Device device;      // NOLINT
Compiler compiler;  // NOLINT
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

void in_a_thread(const std::function<void()>& test) {
    device = {};
    compiler.worthwhile = 0, compiler.made = 0;
    compiler.waits = compiler.fails = false;
    std::thread(test).join();
}

}  // namespace test
}  // namespace gemmill
