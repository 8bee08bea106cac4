// SPDX-License-Identifier: Apache-2.0
#include "matrix/view.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gemmill {
namespace {

constexpr std::size_t line = 64;  // bytes that caches keep together

#if defined(__SSE2__)
/// `to` begins a line.
void stream_line(std::byte* to, const std::byte* from) {
    for (std::size_t at = 0; at < line; at += sizeof(__m128i))
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
}
/// Other threads see what was streamed once they see what is stored after this.
void end_stream() { _mm_sfence(); }
#else
void stream_line(std::byte* to, const std::byte* from) { std::memcpy(to, from, line); }
void end_stream() {}
#endif

void stream_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    const std::size_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
    std::memcpy(to, from, head);
    std::size_t at = head;
    for (; at + line <= bytes; at += line) stream_line(to + at, from + at);
    std::memcpy(to + at, from + at, bytes - at);
}

/// Calls copy(to, from, bytes) for each run of bytes that lie together on both sides.
template <class Copy>
void each_run(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
              index_t cols, index_t bytes, Copy copy) {
    const auto run = static_cast<std::size_t>(rows * bytes);
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    if (from_ld == rows && to_ld == rows) {
        copy(target, source, run * static_cast<std::size_t>(cols));
        return;
    }
    for (index_t j = 0; j < cols; ++j)
        copy(target + j * to_ld * bytes, source + j * from_ld * bytes, run);
}

}  // namespace

void copy_block(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
                index_t cols, index_t bytes) {
    each_run(from, from_ld, to, to_ld, rows, cols, bytes, std::memcpy);
}

void stream_block(const void* from, index_t from_ld, void* to, index_t to_ld, index_t rows,
                  index_t cols, index_t bytes) {
    each_run(from, from_ld, to, to_ld, rows, cols, bytes, stream_run);
    end_stream();
}

}  // namespace gemmill
