// SPDX-License-Identifier: Apache-2.0
// Threads that wait for loops to share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "gemmill/types.hpp"

namespace gemmill {

class Team {
  public:
    /// With the calling thread it has so many; they start when they are first needed.
    explicit Team(int threads) : threads_wanted_(threads) {}
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return threads_wanted_; }
    /// Calls f(first, last) for parts of 0 to count, `part` long but for the last, by all threads,
    /// and rethrows the first exception. While another thread has the team the caller works alone.
    void run(index_t count, index_t part, const std::function<void(index_t, index_t)>& f);

  private:
    struct Loop {
        index_t count = 0, part = 1;
        const std::function<void(index_t, index_t)>* body = nullptr;
        std::atomic<index_t> next = 0;
        std::exception_ptr fault;
    };
    void start();
    void work();
    void take_parts();

    const int threads_wanted_;
    std::mutex turn_;  // of the caller who has the team
    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    std::vector<std::thread> threads_;
    Loop loop_;
    std::uint64_t round_ = 0;
    int busy_ = 0;
    bool stop_ = false;
};

}  // namespace gemmill
