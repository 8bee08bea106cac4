// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpu/host/host_room.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace gemmill {
namespace {

/// Asks for room without taking any.
bool has_room(std::size_t bytes) {
    void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    ::munmap(room, bytes);
    return true;
}

bool is_limited() {
    static const bool limited = [] {
        rlimit space{};
        return ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    }();
    return limited;
}

/// One caller of the host BLAS at a time: its buffer is there from the first call on, so that
/// nothing that other threads take can be missing later.
struct Gate {
    std::mutex mutex;
    std::condition_variable left;
    bool taken = false, has_buffer = false;

    bool enter() {
        // Stacks of a few threads that start meanwhile have their part.
        constexpr auto enough = static_cast<std::size_t>(host_buffer + (16L << 20));
        std::unique_lock lock(mutex);
        left.wait(lock, [&] { return !taken; });
        if (!has_buffer && !has_room(enough)) return false;
        taken = has_buffer = true;
        return true;
    }
    void leave() {
        const std::lock_guard lock(mutex);
        taken = false;
        left.notify_one();
    }
};

Gate& gate() {
    static Gate the;
    return the;
}

}  // namespace

HostTurn::HostTurn() : granted_(!is_limited() || gate().enter()) {}

HostTurn::~HostTurn() {
    if (is_limited() && granted_) gate().leave();
}

int host_threads_with_room(int wanted) {
    int threads = wanted;
    while (threads > 0 &&
           !has_room(static_cast<std::size_t>(host_buffer) * static_cast<std::size_t>(threads + 1)))
        --threads;
    return threads;
}

int host_threads_to_be_had(int wanted) {
    std::latch all(1);
    std::vector<std::jthread> threads;
    try {
        while (static_cast<int>(threads.size()) + 1 < wanted)
            threads.emplace_back([&] { all.wait(); });
    } catch (const std::exception&) {  // that was the last
    }
    all.count_down();
    return static_cast<int>(threads.size()) + 1;
}

}  // namespace gemmill
