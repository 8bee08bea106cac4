// SPDX-License-Identifier: Apache-2.0
#include "support/failing_new.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace gemmill::test {
namespace {

constexpr int never = std::numeric_limits<int>::max();
std::atomic<int> left = never;  // until one fails; below 0: it has
std::atomic<bool> all_fail = false;

bool fails_now() {
    if (left.load(std::memory_order_relaxed) == never) return false;
    const int before = left.fetch_sub(1);
    return before == 0 || (before < 0 && all_fail);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (fails_now()) return nullptr;
    const std::size_t wanted = bytes == 0 ? 1 : bytes;
    return alignment <= alignof(std::max_align_t)
               ? std::malloc(wanted)
               : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = allocate(bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

FailingNew::FailingNew(int first, bool all) {
    all_fail = all;
    left = first;
}
FailingNew::~FailingNew() { left = never; }
bool FailingNew::failed() { return left < 0; }

}  // namespace gemmill::test

using gemmill::test::allocate;
using gemmill::test::allocate_or_throw;

constexpr std::size_t usual = alignof(std::max_align_t);

#define GEMMILL_VISIBLE __attribute__((visibility("default")))
GEMMILL_VISIBLE void* operator new(std::size_t n) { return allocate_or_throw(n, usual); }
GEMMILL_VISIBLE void* operator new[](std::size_t n) { return allocate_or_throw(n, usual); }
GEMMILL_VISIBLE void* operator new(std::size_t n, std::align_val_t a) {
    return allocate_or_throw(n, static_cast<std::size_t>(a));
}
GEMMILL_VISIBLE void* operator new[](std::size_t n, std::align_val_t a) {
    return allocate_or_throw(n, static_cast<std::size_t>(a));
}
GEMMILL_VISIBLE void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return allocate(n, usual);
}
GEMMILL_VISIBLE void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
    return allocate(n, usual);
}
GEMMILL_VISIBLE void operator delete(void* p) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete[](void* p) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete(void* p, std::size_t) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
GEMMILL_VISIBLE void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}
GEMMILL_VISIBLE void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}
#undef GEMMILL_VISIBLE
