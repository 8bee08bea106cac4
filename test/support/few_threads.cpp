// SPDX-License-Identifier: Apache-2.0
#include "support/few_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace gemmill::test {
namespace {

constexpr int any_number = std::numeric_limits<int>::max();
std::atomic<int> threads_left = any_number;

}  // namespace

FewThreads::FewThreads(int left) { threads_left = left; }
FewThreads::~FewThreads() { threads_left = any_number; }

static bool may_make_thread() {
    for (int left = threads_left; left != any_number;) {
        if (left == 0) return false;
        if (threads_left.compare_exchange_weak(left, left - 1)) return true;
    }
    return true;
}

}  // namespace gemmill::test

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
    void* argument) noexcept {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (!gemmill::test::may_make_thread()) return EAGAIN;
    return create(thread, attributes, start, argument);
}
