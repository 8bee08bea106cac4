// SPDX-License-Identifier: Apache-2.0
// Instructions that CUDA C++ has no words for. Tests have a header of the same name, with which the
// kernels run on the CPU.
#pragma once

#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#include <cstring>
#include <type_traits>

namespace gemmill::batch {

// Before Hopper there is only the instruction for 8 x 8 x 4.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_wide_mma = false;
#else
inline constexpr bool has_wide_mma = true;
#endif

/// C += A B of rows x 8 x depth, by a warp. Lane (g, t) = (lane / 4, lane % 4) holds of A rows g
/// and g + 8 of columns t + 4 s, of B rows t + 4 s of column g, of C rows g and g + 8 of columns 2
/// t and 2 t + 1.
template <int rows, int depth>
__device__ void mma(double (&c)[rows / 8][2], const double (&a)[depth / 4][rows / 8],
                    const double (&b)[depth / 4]) {
    if constexpr (rows == 8 || !has_wide_mma || depth == 12) {
#pragma unroll
        for (int s = 0; s < depth / 4; ++s)
#pragma unroll
            for (int h = 0; h < rows / 8; ++h)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(c[h][0]), "+d"(c[h][1])
                    : "d"(a[s][h]), "d"(b[s]));
    } else if constexpr (depth == 4) {
        asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
            : "d"(a[0][0]), "d"(a[0][1]), "d"(b[0]));
    } else if constexpr (depth == 8) {
        asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
            : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
    } else {
        asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
            : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
            : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(a[2][0]), "d"(a[2][1]),
              "d"(a[3][0]), "d"(a[3][1]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
}

/// Two neighbours in a register.
template <class T>
__device__ unsigned pair_of(T low, T high) {
    unsigned short x[2];
    memcpy(x, &low, sizeof low);
    memcpy(x + 1, &high, sizeof high);
    return x[0] | static_cast<unsigned>(x[1]) << 16;
}
/// C += A B of 16 x 8 x 16, of a 16-bit type with sums in single precision. Lane (g, t) holds of A
/// rows g and g + 8 of columns 2 t, 2 t + 1 and those 8 behind, of B rows as these of column g.
template <class T>
__device__ void mma(float (&c)[2][2], const T (&a)[4][2], const T (&b)[4]) {
    const unsigned a0 = pair_of(a[0][0], a[1][0]), a1 = pair_of(a[0][1], a[1][1]),
                   a2 = pair_of(a[2][0], a[3][0]), a3 = pair_of(a[2][1], a[3][1]),
                   b0 = pair_of(b[0], b[1]), b1 = pair_of(b[2], b[3]);
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[1][0]), "+f"(c[1][1])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[1][0]), "+f"(c[1][1])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// Copies to shared memory while the thread goes on: `size` bytes, of which only the first `there`
/// are read and the others are zeros. 16 bytes do not stop at the first cache, which is the same
/// memory.
template <int size>
__device__ void copy_ahead(void* to, const void* from, int there) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from),
                     "n"(size), "r"(there));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from),
                     "n"(size), "r"(there));
}
/// Closes a group of copies.
__device__ inline void end_of_copies() { __pipeline_commit(); }
/// Waits for all groups of this thread but the last `open`.
template <int open>
__device__ void wait_for_copies() {
    __pipeline_wait_prior(open);
}

// From Hopper on one instruction copies any number of bytes.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_bulk_copy = false;
#else
inline constexpr bool has_bulk_copy = true;
#endif

/// Where a block waits for bulk copies, in shared memory: each thread announces, once a turn, how
/// many bytes it has asked for, and all wait for the end of the turn.
using CopyBarrier = unsigned long long;

__device__ inline unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ inline void open_barrier(CopyBarrier* barrier, int threads) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(threads)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
/// `bytes` and both addresses are multiples of 16.
__device__ inline void copy_in_bulk(void* to, const void* from, int bytes, CopyBarrier* barrier) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
#endif
}
__device__ inline void announce_copies(CopyBarrier* barrier, int bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#endif
}
/// Turns are counted from 0; `turn` may be its lowest bit alone.
__device__ inline void wait_for_bulk(CopyBarrier* barrier, int turn) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
            shared_address(barrier)),
        "r"(turn & 1)
        : "memory");
#endif
}
/// What this thread has written to shared memory comes before bulk copies that are asked for after
/// a barrier.
__device__ inline void before_bulk() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// The next kernel of the stream may begin, if it was launched so.
__device__ inline void start_next() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
/// Waits until the kernel before this one has ended.
__device__ inline void wait_for_earlier() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Whether the kernel is to end here: a word has a mark, and should not have it, or the other way
/// round, when the kernel before this one has ended. Without a word it goes on. The thread ends in
/// here instead of saying so: with a branch the compiler makes other code of all that follows.
__device__ inline bool must_end(const unsigned* word, unsigned mark, bool if_marked) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .pred has; setp.ne.u64 has, %0, 0; @has griddepcontrol.wait; }" ::"l"(word)
                 : "memory");
#endif
    asm volatile(
        "{\n"
        ".reg .pred has, shut, wanted;\n"
        ".reg .u32 found;\n"
        "setp.ne.u64 has, %0, 0;\n"
        "@has ld.volatile.u32 found, [%0];\n"
        "setp.eq.u32 shut, found, %1;\n"
        "setp.ne.u32 wanted, %2, 0;\n"
        "xor.pred shut, shut, wanted;\n"
        "and.pred shut, shut, has;\n"
        "@shut exit;\n"
        "}" ::"l"(word),
        "r"(mark), "r"(if_marked ? 1 : 0)
        : "memory");
    return false;
}

/// What the lane has whose number differs from this one's by the bits of `step`, of all 32 lanes.
__device__ inline double from_lane(double x, int step) {
    return __shfl_xor_sync(0xffffffffU, x, step);
}
__device__ inline float from_lane(float x, int step) {
    return __shfl_xor_sync(0xffffffffU, x, step);
}
template <class C>
__device__ C from_lane(C x, int step) {
    return {from_lane(x.x, step), from_lane(x.y, step)};
}

/// threadIdx.x, where the compiler must not keep what it makes of it: the registers are needed.
__device__ inline int own_thread() {
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
}

}  // namespace gemmill::batch
