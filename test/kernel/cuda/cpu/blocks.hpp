// SPDX-License-Identifier: Apache-2.0
// CUDA's threads as fibers of one thread, so that kernels run on the CPU: one block after the
// other, each thread until it waits for others. What a kernel may not rely on is made bad: shared
// memory starts as NaN, and copies to it happen as late as they may.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

// What plain C++ has no words for, after the headers of CUDA have defined what they do.
#include <cuda_fp16.h>
#undef __launch_bounds__
#define __launch_bounds__(...)
#ifndef __grid_constant__
#define __grid_constant__
#endif

struct Index3 {
    int x = 0;
};
inline Index3 threadIdx, blockIdx, blockDim, gridDim;

using std::max;
using std::min;
inline int max(int a, int b) { return a > b ? a : b; }

namespace emulated {

constexpr std::size_t shared_bytes = std::size_t{227} << 10, stack_bytes = std::size_t{1} << 18;

/// Threads that wait for each other: a warp, or a block.
struct Meeting {
    int members = 0, arrived = 0;
    long round = 0;
};

struct Copy {
    void* to;
    const void* from;
    int size, there;
};

struct BulkCopy {
    const void* barrier;
    Copy copy;
};

struct Fiber {
    ucontext_t context;
    bool ended = false;
    const Meeting* waits_for = nullptr;
    long round = 0;
    std::vector<std::vector<Copy>> groups{1};
    std::vector<BulkCopy> bulk;
};

struct Block {
    std::vector<Fiber> fibers;
    std::vector<Meeting> warps;
    Meeting all;
    ucontext_t scheduler;
    int current = 0;
    const std::function<void()>* body = nullptr;
    long long words[64][32];  // of a warp, for what its lanes tell each other
};
inline Block* block = nullptr;

/// Threads that asked for the next kernel, and those that waited for the one before.
inline int asked_for_next = 0, waited_for_earlier = 0;

inline Fiber& self() { return block->fibers[static_cast<std::size_t>(block->current)]; }
inline int warp() { return block->current / 32; }
inline int lane() { return block->current % 32; }

inline void meet(Meeting& m) {
    if (++m.arrived == m.members) {
        m.arrived = 0;
        ++m.round;
        return;
    }
    Fiber& me = self();
    me.waits_for = &m;
    me.round = m.round;
    swapcontext(&me.context, &block->scheduler);
}
inline void meet_warp() { meet(block->warps[static_cast<std::size_t>(warp())]); }

inline void begin() {
    (*block->body)();
    self().ended = true;
}

/// A thread that ended is waited for no more.
inline void leave(Meeting& m) {
    if (--m.members > 0 && m.arrived == m.members) {
        m.arrived = 0;
        ++m.round;
    }
}

/// Kept from one block to the next.
inline std::byte* stack_of(std::size_t thread) {
    static std::vector<std::unique_ptr<std::byte[]>> stacks;
    while (stacks.size() <= thread)
        stacks.push_back(std::make_unique_for_overwrite<std::byte[]>(stack_bytes));
    return stacks[thread].get();
}

inline bool may_go_on(const Fiber& f) {
    return !f.ended && (f.waits_for == nullptr || f.waits_for->round != f.round);
}

/// False when all wait for each other for ever.
inline bool run_block(int threads, const std::function<void()>& body) {
    Block b;
    block = &b;
    b.fibers.resize(static_cast<std::size_t>(threads));
    b.warps.resize(static_cast<std::size_t>((threads + 31) / 32));
    for (int t = 0; t < threads; ++t) ++b.warps[static_cast<std::size_t>(t / 32)].members;
    b.all.members = threads;
    b.body = &body;
    for (std::size_t t = 0; t < b.fibers.size(); ++t) {
        Fiber& f = b.fibers[t];
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stack_of(t);
        f.context.uc_stack.ss_size = stack_bytes;
        f.context.uc_link = &b.scheduler;
        makecontext(&f.context, begin, 0);
    }
    for (int left = threads; left > 0;) {
        bool moved = false;
        for (int t = 0; t < threads; ++t) {
            Fiber& f = b.fibers[static_cast<std::size_t>(t)];
            if (!may_go_on(f)) continue;
            moved = true;
            f.waits_for = nullptr;
            b.current = t;
            threadIdx.x = t;
            swapcontext(&b.scheduler, &f.context);
            if (!f.ended) continue;
            --left;
            leave(b.warps[static_cast<std::size_t>(t / 32)]);
            leave(b.all);
        }
        if (!moved) return false;
    }
    return true;
}

}  // namespace emulated

// --- what kernels call --------------------------------------------------------------------------

inline void __syncthreads() { emulated::meet(emulated::block->all); }

inline unsigned __ballot_sync(unsigned, bool holds) {
    auto& words = emulated::block->words[emulated::warp()];
    words[emulated::lane()] = holds ? 1 : 0;
    emulated::meet_warp();
    unsigned all = 0;
    for (int l = 0; l < 32; ++l) all |= static_cast<unsigned>(words[l]) << l;
    emulated::meet_warp();
    return all;
}
template <class V>
V __shfl_sync(unsigned, V value, int from) {
    auto& words = emulated::block->words[emulated::warp()];
    words[emulated::lane()] = static_cast<long long>(value);
    emulated::meet_warp();
    const V result = static_cast<V>(words[from]);
    emulated::meet_warp();
    return result;
}
inline int __shfl_up_sync(unsigned, int value, int step) {
    const int from = emulated::lane() - step;
    auto& words = emulated::block->words[emulated::warp()];
    words[emulated::lane()] = value;
    emulated::meet_warp();
    const int result = static_cast<int>(from >= 0 ? words[from] : value);
    emulated::meet_warp();
    return result;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
template <class V, class W>
V atomicAdd(V* to, W value) {
    const V old = *to;
    *to += static_cast<V>(value);
    return old;
}
inline int atomicOr(int* to, int value) {
    const int old = *to;
    *to |= value;
    return old;
}
inline unsigned atomicExch(unsigned* to, unsigned value) {
    const unsigned old = *to;
    *to = value;
    return old;
}
inline void __threadfence_system() {}
inline unsigned long long atomicMin(unsigned long long* to, unsigned long long value) {
    const unsigned long long old = *to;
    *to = min(old, value);
    return old;
}
