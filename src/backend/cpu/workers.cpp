// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/workers.hpp"

#include <algorithm>
#include <numeric>

#include "gemmill/error.hpp"

namespace gemmill {

Workers::Workers(const std::vector<int>& threads) : groups_(threads.size()) {
    threads_.reserve(static_cast<std::size_t>(std::reduce(threads.begin(), threads.end())));
    start(threads);
    if (threads_.empty())
        throw Error(Code::out_of_memory, "the system has no thread for a device on the CPU",
                    "a thread");
}

/// Every group gets its first thread before any gets a second.
void Workers::start(const std::vector<int>& threads) {
    try {
        for (int i = 0; i < *std::ranges::max_element(threads); ++i)
            for (std::size_t g = 0; g < groups_.size(); ++g)
                if (i < threads[g])
                    threads_.emplace_back([this, &group = groups_[g]] { work(group); });
    } catch (const std::exception&) {  // there are no more; some will do
    }
}

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        for (Group& group : groups_) group.wake.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
}

void Workers::add(std::size_t group, std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    Group& served = groups_[group % std::min(groups_.size(), threads_.size())];
    served.line.push_back(std::move(job));
    served.wake.notify_one();
}

void Workers::drain() {
    std::unique_lock lock(mutex_);
    for (Group& group : groups_) group.line.clear();
    idle_.wait(lock, [&] { return running_ == 0; });
}

void Workers::work(Group& group) {
    std::unique_lock lock(mutex_);
    for (;;) {
        group.wake.wait(lock, [&] { return stop_ || !group.line.empty(); });
        if (stop_) return;
        const std::function<void()> job = std::move(group.line.front());
        group.line.pop_front();
        ++running_;
        lock.unlock();
        job();
        lock.lock();
        if (--running_ == 0) idle_.notify_all();
    }
}

}  // namespace gemmill
