// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/team.hpp"

#include <algorithm>
#include <utility>

namespace gemmill {

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

/// A system that has no more threads to give leaves the team smaller.
void Team::start() {
    try {
        while (static_cast<int>(threads_.size()) + 1 < threads_wanted_)
            threads_.emplace_back([this] { work(); });
    } catch (const std::exception&) {
    }
}

void Team::take_parts() {
    const index_t count = loop_.count, part = loop_.part;
    for (;;) {
        const index_t first = loop_.next.fetch_add(part, std::memory_order_relaxed);
        if (first >= count) return;
        try {
            (*loop_.body)(first, std::min(count, first + part));
        } catch (...) {
            loop_.next = count;
            const std::lock_guard lock(mutex_);
            if (!loop_.fault) loop_.fault = std::current_exception();
        }
    }
}

void Team::work() {
    std::unique_lock lock(mutex_);
    for (std::uint64_t seen = 0;;) {
        wake_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        lock.unlock();
        take_parts();
        lock.lock();
        if (--busy_ == 0) idle_.notify_one();
    }
}

void Team::run(index_t count, index_t part, const std::function<void(index_t, index_t)>& f) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (count <= part || threads_wanted_ <= 1 || !turn.owns_lock()) {
        for (index_t first = 0; first < count; first += part)
            f(first, std::min(count, first + part));
        return;
    }
    start();
    {
        const std::lock_guard lock(mutex_);
        loop_.count = count;
        loop_.part = part;
        loop_.body = &f;
        loop_.next = 0;
        loop_.fault = nullptr;
        busy_ = static_cast<int>(threads_.size());
        ++round_;
    }
    wake_.notify_all();
    take_parts();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return busy_ == 0; });
    if (loop_.fault) std::rethrow_exception(std::exchange(loop_.fault, nullptr));
}

}  // namespace gemmill
