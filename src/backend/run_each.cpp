// SPDX-License-Identifier: Apache-2.0
#include "backend/run_each.hpp"

#include <exception>
#include <thread>
#include <vector>

namespace gemmill {

void run_each(std::size_t count, const std::function<void(std::size_t)>& f) {
    std::vector<std::exception_ptr> faults(count);
    const auto run = [&](std::size_t i) {
        try {
            f(i);
        } catch (...) {
            faults[i] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(count);
    std::size_t next = 1;
    try {
        for (; next < count; ++next) threads.emplace_back(run, next);
    } catch (const std::exception&) {  // no more threads: the rest is the caller's
    }
    if (count > 0) run(0);
    for (; next < count; ++next) run(next);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& fault : faults)
        if (fault) std::rethrow_exception(fault);
}

}  // namespace gemmill
