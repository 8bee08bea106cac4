// SPDX-License-Identifier: Apache-2.0
// How a block copies matrices of several products to shared memory and back, in pieces of 16 bytes
// wherever they begin.
#pragma once

#include "kernel/cuda/one_shape/stage/plan.hpp"
#include "kernel/cuda/part/pack.cuh"
#include "kernel/cuda/part/product.cuh"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

__device__ inline unsigned quotient(unsigned x, int divisor, unsigned by) {
    return divisor == 1 ? x : static_cast<unsigned>(static_cast<std::uint64_t>(x) * by >> 32);
}
/// Bytes behind a multiple of 16.
__device__ inline int bytes_behind(const void* p) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) & 15);
}

/// Where the matrices of a block's products lie: by pointers of a table, or at equal distances.
template <class T>
struct StagePlaces {
    const BatchMatrix& of;
    const T* const* table;  // of this matrix; null where there is none
    index_t first;
    index_t offset;  // of the part

    __device__ const T* operator[](int p) const {
        if (table != nullptr) return table[p] + offset;
        return static_cast<const T*>(of.data) + (first + p) * of.stride + offset;
    }
};

/// What of a matrix is there: lines and their length, as stored.
struct StageExtent {
    int products, lines, length;
};

/// How products of a step lie in shared memory: `product` elements apart. chained: as in memory,
/// and copied as one line. follows: as in memory, but copied line by line.
struct StageLayout {
    bool chained, follows;
    int product;
};
/// in_order: pointers, if there are any, follow one another.
__device__ inline StageLayout layout_of(const StageMatrix& s, bool in_order) {
    const bool chains = s.may_chain && in_order, chained = s.chained || chains;
    return {chained, chained, chains ? s.apart : s.product};
}
/// Of C as it goes back from where it lies.
__device__ inline StageLayout layout_of(const StageMatrix& out, const StageMatrix& c,
                                        bool in_order) {
    const StageLayout at = layout_of(c, in_order);
    return {out.chained || (out.may_chain && in_order), at.follows, at.product};
}

/// f(address of a piece, where it lies in shared memory, bytes of it before the first element,
/// bytes up to the last) for pieces of 16 bytes of all lines of all products.
template <int threads, class T, class F>
__device__ void each_piece(const StageMatrix& s, const StageLayout& lies, T* stage,
                           const StagePlaces<T>& places, int ld, StageExtent there, F f) {
    constexpr int size = static_cast<int>(sizeof(T));
    char* const to = reinterpret_cast<char*>(stage + s.at);
    int length = s.flat ? (there.lines - 1) * ld + there.length : there.length;
    if (lies.chained) {
        length += (there.products - 1) * lies.product;
        const auto* const from = reinterpret_cast<const char*>(places[0]);
        const int behind = bytes_behind(from), end = behind + length * size;
        const char* const aligned = from - behind;
        int e = 16 * own_thread();
        if (e < end) f(aligned + e, to + e, e == 0 ? behind : 0, end - e);
#pragma unroll 4
        for (e += 16 * threads; e <= end - 16; e += 16 * threads) f(aligned + e, to + e, 0, 16);
        if (e < end) f(aligned + e, to + e, 0, end - e);
        return;
    }
    const auto down =
        static_cast<int>(quotient(static_cast<unsigned>(own_thread()), s.across, s.by_across));
    if (down >= s.down) return;
    const int first = 16 * (own_thread() - down * s.across);
    const auto each_of_line = [&](const char* from, char* at) {
        const int behind = bytes_behind(from), end = behind + length * size;
#pragma unroll 4
        for (int e = first; e < end; e += 16 * s.across)
            f(from - behind + e, at + e, e == 0 ? behind : 0, end - e);
    };
    if (s.flat) {
        for (int p = down; p < there.products; p += s.down)
            each_of_line(reinterpret_cast<const char*>(places[p]), to + p * lies.product * size);
        return;
    }
    int p = static_cast<int>(quotient(static_cast<unsigned>(down), s.lines, s.by_lines));
    for (int line = down - p * s.lines; p < there.products; p += s.next_product) {
        if (line < there.lines) {
            const T* const of_product = places[p];
            const int at = (p * lies.product + line * s.line) * size +
                           bytes_behind(lies.follows ? places[0] : of_product);
            each_of_line(
                reinterpret_cast<const char*>(of_product + line * static_cast<index_t>(ld)),
                to + (at & ~15));
        }
        line += s.next_line;
        if (line >= s.lines) line -= s.lines, ++p;
    }
}

/// Long lines, an instruction for each. Lanes of a warp would wait for one another, so that warps
/// take turns. Returns the bytes that the thread has asked for.
template <int threads, class T>
__device__ int bring_in_bulk(const StageMatrix& s, const StageLayout& lies, T* stage,
                             const StagePlaces<T>& places, int ld, StageExtent there,
                             CopyBarrier* barrier) {
    constexpr int size = static_cast<int>(sizeof(T)), warps = threads / 32;
    char* const to = reinterpret_cast<char*>(stage + s.at);
    int length = s.flat ? (there.lines - 1) * ld + there.length : there.length, asked = 0;
    if (lies.chained) length += (there.products - 1) * lies.product;
    const int lines = lies.chained ? 1 : there.products * s.lines, own = own_thread();
    for (int i = own % 32 * warps + own / 32; i < lines; i += threads) {
        const auto p = static_cast<int>(quotient(static_cast<unsigned>(i), s.lines, s.by_lines));
        const int line = i - p * s.lines;
        if (line >= there.lines) continue;
        const T* const of_product = places[p];
        char* const at =
            to + (((p * lies.product + line * s.line) * size + bytes_behind(of_product)) & ~15);
        const auto* const from =
            reinterpret_cast<const char*>(of_product + line * static_cast<index_t>(ld));
        const int behind = bytes_behind(from), end = behind + length * size, whole = end & ~15;
        if (whole > 0) copy_in_bulk(at, from - behind, whole, barrier);
        if (end > whole) copy_ahead<16>(at + whole, from - behind + whole, end - whole);
        asked += whole;
    }
    return asked;
}

/// Returns what it has asked for of bulk copies.
template <int threads, class T>
__device__ int bring(const StageMatrix& s, const StageLayout& lies, T* stage,
                     const StagePlaces<T>& places, int ld, StageExtent there,
                     CopyBarrier* barrier) {
    if (has_bulk_copy && (lies.chained ? s.bulk_chained : s.bulk))
        return bring_in_bulk<threads>(s, lies, stage, places, ld, there, barrier);
    each_piece<threads>(
        s, lies, stage, places, ld, there,
        [](const char* from, char* to, int, int end) { copy_ahead<16>(to, from, min(end, 16)); });
    return 0;
}

/// Products that lie as in memory, without what is between their columns: neighbours in a warp
/// write neighbours in memory, whatever line they are of.
template <int threads, class T>
__device__ void send_elements(const StageMatrix& s, const T* stage, const StagePlaces<T>& places,
                              int ld, StageExtent there) {
    const int m = there.length, own = own_thread(), line = own / m, step = threads / m;
    auto* const to = const_cast<T*>(places[0]);
    const T* const from = stage + s.at + bytes_behind(to) / static_cast<int>(sizeof(T));
    const int rows = threads - step * m, next = step * ld + rows, gap = ld - m,
              end = there.products * there.lines * ld;
    int row = own - line * m;
#pragma unroll 4
    for (int e = line * ld + row; e < end;) {
        to[e] = from[e];
        row += rows, e += next;
        if (row >= m) row -= m, e += gap;
    }
}

/// C back to where it came from.
template <int threads, class T>
__device__ void send(const StageMatrix& s, const StageLayout& lies, T* stage,
                     const StagePlaces<T>& places, int ld, StageExtent there) {
    constexpr int whole = 16 / static_cast<int>(sizeof(T));
    if (s.by_elements && lies.follows) return send_elements<threads>(s, stage, places, ld, there);
    each_piece<threads>(s, lies, stage, places, ld, there,
                        [](const char* address, const char* from, int begin, int end) {
                            auto* to = reinterpret_cast<T*>(const_cast<char*>(address));
                            const auto pack = *reinterpret_cast<const Pack<T, whole>*>(from);
                            if (begin == 0 && end >= 16)
                                *reinterpret_cast<Pack<T, whole>*>(to) = pack;
                            else
#pragma unroll
                                for (int e = 0; e < whole; ++e)
                                    if (e * static_cast<int>(sizeof(T)) >= begin &&
                                        e * static_cast<int>(sizeof(T)) < end)
                                        to[e] = pack.x[e];
                        });
}

}  // namespace gemmill::batch
