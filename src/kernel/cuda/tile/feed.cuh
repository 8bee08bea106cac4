// SPDX-License-Identifier: Apache-2.0
// How a block copies parts of matrices to shared memory, by cp.async.
#pragma once

#include <cstdint>

#include "gemmill/types.hpp"
#include "kernel/cuda/part/ptx.cuh"

namespace gemmill::batch {

/// The least distance of lines of so many elements with which eight lines of four elements, or four
/// of eight, are in different banks.
template <class T>
constexpr int line_of(int elements) {
    int bytes = (elements * static_cast<int>(sizeof(T)) + 31) / 32 * 32;
    while (bytes % 128 != 32 && bytes % 128 != 96) bytes += 32;
    return bytes / static_cast<int>(sizeof(T));
}

constexpr int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Where the k of a slab runs: along its lines, or from line to line. What lies outside along k
/// becomes zeros; what lies outside the other way is not copied, since it meets no element of C.
enum class Deep { along, across };

/// How a block copies `lines` of `length` contiguous elements each: a thread takes `many` at a
/// time, at the same places of several lines.
template <class T, int length, int lines, int threads, int many>
struct Lines {
    static constexpr int size = static_cast<int>(sizeof(T)), line = line_of<T>(length);
    static constexpr int across = common_divisor(length / many, threads), down = threads / across;

    /// The thread's first element.
    __device__ static int x() { return own_thread() % across * many; }
    __device__ static int y() { return own_thread() / across; }

    __device__ static void copy_one(T* to, const T* from, int bytes) {
        if constexpr (many * size >= 4)
            copy_ahead<many * size>(to, from, bytes);
        else
            *to = bytes > 0 ? *from : T{};
    }

    /// From the thread's first element on, where all are there.
    __device__ static void copy(T* to, const T* from, int ld) {
        to += y() * line + x();
#pragma unroll
        for (int e = 0; e < (lines + down - 1) / down; ++e) {
            if (lines % down != 0 && y() + e * down >= lines) break;
#pragma unroll
            for (int c = 0; c < length / many / across; ++c)
                copy_one(to + e * down * line + c * across * many, from + c * across * many,
                         many * size);
            from += down * static_cast<index_t>(ld);
        }
    }
    /// Where only `left` and `lines_left` are there.
    template <Deep deep>
    __device__ static void copy_some(T* to, const T* from, int ld, int left, int lines_left) {
        left -= x();
        lines_left -= y();
        to += y() * line + x();
#pragma unroll
        for (int c = 0; c < length / many / across; ++c) {
            const int there = min(max(left - c * across * many, 0), many) * size;
            if (deep == Deep::across && there == 0) break;
#pragma unroll
            for (int e = 0; e < (lines + down - 1) / down; ++e) {
                if (lines % down != 0 && y() + e * down >= lines) break;
                const bool in = e * down < lines_left;
                if (deep == Deep::along && !in) break;
                copy_one(to + e * down * line + c * across * many,
                         from + e * down * ld + c * across * many, in ? there : 0);
            }
        }
    }
};

/// What of A or B goes into a slab: `edge` elements of a tile by `depth` of k. Where it lies is
/// worked out once for a tile.
template <class T, int edge, int depth, int threads>
class Feed {
  public:
    /// along: the elements of the edge are contiguous, not those of k; `left` of them are there.
    __device__ void open(const T* matrix, int ld, bool along, int left) {
        along_ = along;
        ld_ = ld;
        left_ = left;
        constexpr unsigned mask = 15;
        aligned_ = ((static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(matrix)) |
                     static_cast<unsigned>(ld * sizeof(T))) &
                    mask) == 0;
        visit([&](auto lines, auto) {
            from_ = matrix + lines.y() * static_cast<index_t>(ld) + lines.x();
        });
    }
    /// The next slab, of which k_left are there.
    __device__ void copy(T* to, int k_left) {
        const bool whole = left_ >= edge && k_left >= depth;
        visit([&](auto lines, auto deep) {
            if (whole)
                lines.copy(to, from_, ld_);
            else if constexpr (deep.value == Deep::across)
                lines.template copy_some<Deep::across>(to, from_, ld_, left_, k_left);
            else
                lines.template copy_some<Deep::along>(to, from_, ld_, k_left, left_);
        });
        from_ += along_ ? depth * static_cast<index_t>(ld_) : depth;
    }
    /// The next `lines`, of which lines_left are there, of a matrix whose edge is contiguous.
    template <int lines>
    __device__ void copy_across(T* to, int lines_left) {
        constexpr int many = 16 / static_cast<int>(sizeof(T));
        if (aligned_)
            copy_lines<Lines<T, edge, lines, threads, many>>(to, lines_left >= lines, lines_left);
        else
            copy_lines<Lines<T, edge, lines, threads, 1>>(to, lines_left >= lines, lines_left);
        from_ += lines * static_cast<index_t>(ld_);
    }

  private:
    template <class L>
    __device__ void copy_lines(T* to, bool all, int lines_left) {
        if (all && left_ >= edge)
            L::copy(to, from_, ld_);
        else
            L::template copy_some<Deep::across>(to, from_, ld_, left_, lines_left);
    }
    template <Deep deep>
    struct Way {
        static constexpr Deep value = deep;
    };
    template <class F>
    __device__ void visit(F f) {
        constexpr int many = 16 / static_cast<int>(sizeof(T));
        if (along_ && aligned_)
            f(Lines<T, edge, depth, threads, many>{}, Way<Deep::across>{});
        else if (along_)
            f(Lines<T, edge, depth, threads, 1>{}, Way<Deep::across>{});
        else if (aligned_)
            f(Lines<T, depth, edge, threads, many>{}, Way<Deep::along>{});
        else
            f(Lines<T, depth, edge, threads, 1>{}, Way<Deep::along>{});
    }

    const T* from_;
    int ld_, left_;
    bool along_, aligned_;
};

}  // namespace gemmill::batch
