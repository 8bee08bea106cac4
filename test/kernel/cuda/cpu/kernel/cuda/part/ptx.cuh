// SPDX-License-Identifier: Apache-2.0
// The instructions of src/kernel/cuda/part/ptx.cuh, on the CPU.
#pragma once

#include "blocks.hpp"

namespace gemmill::batch {

/// Lanes show their parts of A and B to the others, and take what they need for their parts of C.
template <int rows, int depth>
void mma(double (&c)[rows / 8][2], const double (&a)[depth / 4][rows / 8],
         const double (&b)[depth / 4]) {
    using namespace emulated;
    static double of_a[64][rows][depth], of_b[64][depth][8];
    const int w = warp(), group = lane() / 4, t = lane() % 4;
    for (int s = 0; s < depth / 4; ++s) {
        for (int h = 0; h < rows / 8; ++h) of_a[w][group + 8 * h][t + 4 * s] = a[s][h];
        of_b[w][t + 4 * s][group] = b[s];
    }
    meet_warp();
    for (int h = 0; h < rows / 8; ++h)
        for (int e = 0; e < 2; ++e)
            for (int l = 0; l < depth; ++l)
                c[h][e] += of_a[w][group + 8 * h][l] * of_b[w][l][2 * t + e];
    meet_warp();
}

/// Of 16-bit types.
template <class T>
void mma(float (&c)[2][2], const T (&a)[4][2], const T (&b)[4]) {
    using namespace emulated;
    static float of_a[64][16][16], of_b[64][16][8];
    const int w = warp(), group = lane() / 4, t = lane() % 4;
    for (int s = 0; s < 4; ++s) {
        const int k = 2 * t + s % 2 + s / 2 * 8;
        for (int h = 0; h < 2; ++h) of_a[w][group + 8 * h][k] = static_cast<float>(a[s][h]);
        of_b[w][k][group] = static_cast<float>(b[s]);
    }
    meet_warp();
    for (int h = 0; h < 2; ++h)
        for (int e = 0; e < 2; ++e)
            for (int l = 0; l < 16; ++l)
                c[h][e] += of_a[w][group + 8 * h][l] * of_b[w][l][2 * t + e];
    meet_warp();
}

/// As late as it may happen: when it is waited for.
template <int size>
void copy_ahead(void* to, const void* from, int there) {
    emulated::self().groups.back().push_back({to, from, size, there});
}
inline void end_of_copies() { emulated::self().groups.emplace_back(); }
template <int open>
void wait_for_copies() {
    auto& groups = emulated::self().groups;
    while (groups.size() > open + 1) {
        for (const emulated::Copy& c : groups.front()) {
            if (c.there > 0) std::memcpy(c.to, c.from, static_cast<std::size_t>(c.there));
            std::memset(static_cast<std::byte*>(c.to) + c.there, 0,
                        static_cast<std::size_t>(c.size - c.there));
        }
        groups.erase(groups.begin());
    }
}

inline constexpr bool has_bulk_copy = true;
using CopyBarrier = unsigned long long;

inline void open_barrier(CopyBarrier*, int) {}
inline void copy_in_bulk(void* to, const void* from, int bytes, CopyBarrier* barrier) {
    emulated::self().bulk.push_back({barrier, {to, from, bytes, bytes}});
}
inline void announce_copies(CopyBarrier*, int) {}
/// A thread's own copies, which others see after the next barrier of the block.
inline void wait_for_bulk(CopyBarrier* barrier, int) {
    std::erase_if(emulated::self().bulk, [&](const emulated::BulkCopy& c) {
        if (c.barrier == barrier)
            std::memcpy(c.copy.to, c.copy.from, static_cast<std::size_t>(c.copy.size));
        return c.barrier == barrier;
    });
}
inline void before_bulk() {}

inline void start_next() { ++emulated::asked_for_next; }
inline void wait_for_earlier() { ++emulated::waited_for_earlier; }
inline bool must_end(const unsigned* word, unsigned mark, bool if_marked) {
    return word != nullptr && (*word == mark) != if_marked;
}

/// Of all lanes of a warp.
template <class V>
V from_lane(V x, int step) {
    using namespace emulated;
    static V all[64][32];
    const int w = warp(), l = lane();
    all[w][l] = x;
    meet_warp();
    const V result = all[w][l ^ step];
    meet_warp();
    return result;
}

inline int own_thread() { return threadIdx.x; }

}  // namespace gemmill::batch
