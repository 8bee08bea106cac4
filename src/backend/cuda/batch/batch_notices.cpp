// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_notices.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <new>
#include <vector>

namespace gemmill {
namespace {

/// Memory that a capture of another thread would forbid to allocate is allocated all the same.
void* allocate_pinned(std::size_t bytes) {
    auto mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    void* memory = nullptr;
    const auto error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (error == cudaSuccess) return memory;
    cudaGetLastError();
    return nullptr;
}

/// Notices that nobody uses at the moment, of all threads.
class Notices {
  public:
    BatchNotice* take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) add_some();
        if (free_.empty()) return nullptr;
        BatchNotice* const notice = free_.back();
        free_.pop_back();
        return notice;
    }
    void give(BatchNotice* notice) {
        const std::lock_guard lock(mutex_);
        free_.push_back(notice);
    }

  private:
    /// On lines of their own: the host looks at one while a device writes another.
    struct alignas(128) Line {
        BatchNotice notice;
    };
    void add_some() {
        constexpr std::size_t some = 64;
        auto* const lines = static_cast<Line*>(allocate_pinned(some * sizeof(Line)));
        for (std::size_t i = 0; lines != nullptr && i < some; ++i)
            free_.push_back(&(new (lines + i) Line)->notice);
    }

    std::mutex mutex_;
    std::vector<BatchNotice*> free_;
};
/// Never destroyed: threads may end after it would be, and kernels may still write.
Notices& notices() {
    static auto* const all = new Notices;
    return *all;
}

unsigned read(const unsigned& of, std::memory_order order) {
    return std::atomic_ref(const_cast<unsigned&>(of)).load(order);
}

}  // namespace

unsigned next_mark() {
    constexpr unsigned first = 0x9e3779b9;  // unlike what lies in memory by chance
    static std::atomic<unsigned> last{first};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

OwnNotice::~OwnNotice() {
    if (notice_ != nullptr) notices().give(notice_);
}

BatchNotice* OwnNotice::get() {
    if (notice_ == nullptr) notice_ = notices().take();
    return notice_;
}

bool OwnNotice::has_answer(unsigned mark) const {
    return notice_ != nullptr && read(notice_->answered, std::memory_order_acquire) == mark;
}

unsigned OwnNotice::last_refuted() const {
    return notice_ == nullptr ? 0 : read(notice_->refuted, std::memory_order_relaxed);
}

}  // namespace gemmill
