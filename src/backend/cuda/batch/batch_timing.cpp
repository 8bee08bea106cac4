// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/batch/batch_timing.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "kernel/cuda/kernels.hpp"

namespace gemmill {
namespace {

/// Events that nobody uses at the moment, of all threads.
class TimingEvents {
  public:
    cudaEvent_t take(int device) {
        {
            const std::lock_guard lock(mutex_);
            std::vector<cudaEvent_t>& free = free_[device];
            if (!free.empty()) {
                const cudaEvent_t event = free.back();
                free.pop_back();
                return event;
            }
        }
        cudaEvent_t event = nullptr;
        return cudaEventCreate(&event) == cudaSuccess ? event : nullptr;
    }
    void give(int device, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (event != nullptr) free_[device].push_back(event);
    }

  private:
    std::mutex mutex_;
    std::map<int, std::vector<cudaEvent_t>> free_;
};
/// Never destroyed: threads may end after it would be.
TimingEvents& timing_events() {
    static auto* const events = new TimingEvents;
    return *events;
}

}  // namespace

TimedTrials& TimedTrials::operator=(TimedTrials&& other) noexcept {
    std::swap(device_, other.device_), std::swap(trials_, other.trials_);
    std::swap(calls_, other.calls_), std::swap(timing_, other.timing_);
    return *this;
}

TimedTrials::~TimedTrials() {
    for (const Call& call : calls_) give_back(call);
}

int TimedTrials::begin(cudaStream_t stream) {
    const bool open = trials_.has_turns() || !calls_.empty();
    if (open && batch::is_captured(stream)) return trials_.best();
    if (open) look();
    const auto [candidate, timed] = trials_.next();
    if (timed) begin_timing(candidate, stream);
    return candidate;
}

void TimedTrials::end(cudaStream_t stream) {
    if (!std::exchange(timing_, false)) return;
    if (cudaEventRecord(calls_.back().end, stream) == cudaSuccess) return;
    give_back(calls_.back());
    calls_.pop_back();
}

/// Times of calls that have ended. A call that failed has none.
void TimedTrials::look() {
    std::erase_if(calls_, [&](const Call& call) {
        const auto state = cudaEventQuery(call.end);
        if (state != cudaSuccess) cudaGetLastError();
        if (state == cudaErrorNotReady) return false;
        float milliseconds = 0;
        if (state == cudaSuccess &&
            cudaEventElapsedTime(&milliseconds, call.begin, call.end) == cudaSuccess)
            trials_.note(call.candidate, 1e-3 * milliseconds);
        give_back(call);
        return true;
    });
}

void TimedTrials::begin_timing(int candidate, cudaStream_t stream) {
    const Call call{candidate, timing_events().take(device_), timing_events().take(device_)};
    timing_ = call.begin != nullptr && call.end != nullptr &&
              cudaEventRecord(call.begin, stream) == cudaSuccess;
    if (timing_)
        calls_.push_back(call);
    else
        give_back(call);
}

void TimedTrials::give_back(const Call& call) const {
    timing_events().give(device_, call.begin);
    timing_events().give(device_, call.end);
}

}  // namespace gemmill
