// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/staging/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace gemmill {
namespace {

// Not in the headers of older systems, whose kernels may know it all the same.
constexpr int populate_write = 23;

void make_range(std::uintptr_t from, std::uintptr_t to, std::uintptr_t page) {
    const std::uintptr_t begin = from / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the system takes whole pages
    madvise(reinterpret_cast<void*>(begin), (to + page - 1) / page * page - begin, populate_write);
}

}  // namespace

void make_pages(void* data, index_t run, index_t cols, index_t stride) {
    if (run <= 0 || cols <= 0) return;
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    const auto length = static_cast<std::uintptr_t>(run);
    const auto apart = static_cast<std::uintptr_t>(stride);
    const auto last = first + static_cast<std::uintptr_t>(cols - 1) * apart;
    if (apart < length + page) {  // no whole page lies between columns
        make_range(first, last + length, page);
        return;
    }
    for (std::uintptr_t column = first; column <= last; column += apart)
        make_range(column, column + length, page);
}

void make_large_pages(void* data, index_t bytes, int threads) {
    madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
    const auto page = static_cast<index_t>(sysconf(_SC_PAGESIZE));
    const auto part = [&](index_t i) { return bytes * i / threads / page * page; };
    // By touching them, which waits for nobody: to ask the system for a whole range takes ten times
    // as long beside a thread that loads kernels and changes the process's memory map.
    const auto make = [&](index_t i) {
        const index_t end = i + 1 < threads ? part(i + 1) : bytes;
        for (index_t at = part(i); at < end; at += page)
            static_cast<volatile std::byte*>(data)[at] = std::byte{0};
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(threads));
    try {
        for (int i = 1; i < threads; ++i) others.emplace_back(make, i);
    } catch (const std::exception&) {  // the driver makes what is left
    }
    make(0);
    for (std::thread& thread : others) thread.join();
}

}  // namespace gemmill
