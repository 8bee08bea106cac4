// SPDX-License-Identifier: Apache-2.0
// GPUs that are the host: each stream is a thread, an event is a mark that it passes. Their state,
// and what is to go wrong with them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

struct GpuEvent {
    int device = 0;
    std::mutex mutex;
    std::condition_variable happened;
    std::int64_t recorded = 0, done = 0;
    std::chrono::steady_clock::time_point time;
};

struct GpuStream {
    GpuStream(int of, bool goes_first)
        : device(of), urgent(goes_first), thread([this] { work(); }) {}
    const int device;
    const bool urgent;
    ~GpuStream() {
        {
            const std::lock_guard lock(mutex);
            stop = true;
            wake.notify_all();
        }
        thread.join();
    }
    void add(std::function<void()> job) {
        const std::lock_guard lock(mutex);
        line.push_back(std::move(job));
        wake.notify_all();
    }

  private:
    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return stop || !line.empty(); });
            if (line.empty()) return;
            const auto job = std::move(line.front());
            line.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> line;
    bool stop = false;
    std::thread thread;
};

struct GpuBlas {
    GpuStream* stream;
};

namespace test {

/// The state of the fake GPUs of this process, and what is to go wrong.
struct FakeGpus {
    enum Fault : int { none = 0, bad_call = 1, no_memory = 2, gone = 3 };
    enum class Call { copy, gemm, add, record, allocate, pin, batch };

    std::mutex mutex;
    std::map<const std::byte*, std::pair<std::size_t, int>> blocks;  // bytes and device; -1: pinned
    std::size_t limit = std::size_t{1} << 40;                        // of each device
    std::map<int, std::size_t> used;
    std::atomic<int> opened = 0;     // blocks of other processes
    std::map<Call, int> calls_left;  // until one fails
    Fault failure = bad_call;
    std::atomic<int> only = -1;           // the device that fails; -1: any
    std::atomic<bool> lost = false;       // every call of that device fails
    std::atomic<int> copies_by_host = 0;  // copies whose host side was neither pinned nor ours
    std::atomic<int> scattered = 0;       // copies of short columns of pinned memory
    std::map<int, index_t> products;      // of batches, that each device made

    static FakeGpus& instance() {
        static FakeGpus gpus;
        return gpus;
    }
    void reset() {
        const std::lock_guard lock(mutex);
        limit = std::size_t{1} << 40;
        calls_left.clear();
        failure = bad_call;
        only = -1;
        lost = false;
        copies_by_host = 0;
        scattered = 0;
        products.clear();
    }
    void fail_after(Call call, int calls, Fault fault = bad_call, int device = -1) {
        const std::lock_guard lock(mutex);
        calls_left[call] = calls;
        failure = fault;
        only = device;
    }
    bool fails(int device) const { return only < 0 || device == only; }
    bool is_lost(int device) const { return lost && fails(device); }
    /// Whether the calling thread loads kernels: it comes when it likes, so no test counts its
    /// calls.
    static bool& is_aside() {
        thread_local bool aside = false;
        return aside;
    }
    int fault_of(Call call, int device = -1) {
        if (is_lost(device)) return gone;
        if (!fails(device) || is_aside()) return none;
        const std::lock_guard lock(mutex);
        const auto left = calls_left.find(call);
        if (left == calls_left.end() || left->second-- > 0) return none;
        calls_left.erase(left);
        if (failure == gone) lost = true;
        return failure;
    }
    std::size_t bytes_used() {
        const std::lock_guard lock(mutex);
        std::size_t sum = 0;
        for (const auto& [device, bytes] : used) sum += bytes;
        return sum;
    }
};

}  // namespace test
}  // namespace gemmill
