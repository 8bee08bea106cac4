// SPDX-License-Identifier: Apache-2.0
// How kernels for batches are launched: as many blocks as run at once, or fewer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <utility>

#include "kernel/cuda/batch_chain.cuh"
#include "kernel/cuda/batch_kernels.hpp"
#include "kernel/cuda/batch_pipe.cuh"
#include "kernel/cuda/batch_ring.cuh"
#include "kernel/cuda/batch_sort.cuh"
#include "kernel/cuda/batch_tile.cuh"
#include "kernel/cuda/batch_tiny.cuh"

namespace gemmill::batch {

/// Bytes of shared memory of a block, and the most that the kernel is ever launched with.
struct SharedBytes {
    std::size_t now, most;
    SharedBytes(std::size_t always) : now(always), most(always) {}
    SharedBytes(std::size_t now_, std::size_t most_) : now(now_), most(most_) {}
};

/// Blocks of a kernel that the current device runs at once; asked again for other shared memory.
template <auto kernel>
cudaError_t blocks_at_once(int threads, SharedBytes shared, int& blocks) {
    constexpr int bits = 32;  // bytes above, blocks below
    static std::array<std::atomic<std::uint64_t>, most_devices> known{};
    int device = 0;
    if (const auto error = cudaGetDevice(&device)) return error;
    std::atomic<std::uint64_t>& kept = known[static_cast<std::size_t>(device % most_devices)];
    const std::uint64_t last = kept.load(std::memory_order_relaxed);
    blocks = static_cast<int>(last & 0xffffffff);
    if (blocks > 0 && last >> bits == shared.now) return cudaSuccess;
    const auto bytes = static_cast<int>(shared.most);
    if (const auto error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
        return error;
    int of_one = 0, processors = 0;
    if (const auto error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, shared.now))
        return error;
    if (const auto error =
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device))
        return error;
    blocks = std::max(1, of_one * processors);
    kept.store(static_cast<std::uint64_t>(shared.now) << bits | static_cast<std::uint64_t>(blocks),
               std::memory_order_relaxed);
    return cudaSuccess;
}

/// Whether the current device lets kernels begin early: Hopper and later do.
inline bool has_early_launch() {
    constexpr int hopper = 9;
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major >= hopper;
}

/// `needed` blocks would have a piece of work each.
template <auto kernel, class... Args>
cudaError_t launch(index_t needed, int threads, SharedBytes shared, Slot slot,
                   const Args&... args) {
    if (needed == 0) return cudaSuccess;
    int blocks = 0;
    if (const auto error = blocks_at_once<kernel>(threads, shared, blocks)) return error;
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(std::min<index_t>(needed, blocks));
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared.now;
    config.stream = slot.stream;
    config.attrs = &early;
    config.numAttrs = slot.early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

inline index_t parts(index_t whole, index_t part) { return (whole + part - 1) / part; }
inline constexpr index_t any_number = index_t{1} << 31;

template <class T, int edge>
cudaError_t run_tiny(const Batch& x, Slot slot) {
    constexpr int threads = 256;
    const auto columns = static_cast<int>(x.n.all);
    const index_t needed = parts(x.count, threads / columns);
    if (x.m.all == edge && x.k.all == edge)
        return launch<tiny_kernel<T, Shapes::one, edge, true>>(needed, threads, 0, slot, x, columns,
                                                               slot.gate);
    return launch<tiny_kernel<T, Shapes::one, edge, false>>(needed, threads, 0, slot, x, columns,
                                                            slot.gate);
}

inline constexpr int warp_threads = 128;

template <class T, class Tile, class Source>
cudaError_t run_pack(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<mma_pack_kernel<Tile, T, Source, warp_threads>>(
        parts(count, warp_threads / 32), warp_threads, 0, slot, x, source, slot.gate);
}
template <class T, class Tile, class Source>
cudaError_t run_warp(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<mma_kernel<Tile, T, Source, warp_threads>>(
        parts(count, warp_threads / 32), warp_threads, 0, slot, x, source, slot.gate);
}
template <class Tile, class Source>
cudaError_t run_ring(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<ring_kernel<Tile, Source>>(count, Tile::threads, Tile::bytes, slot, x, source);
}
template <class T, class Tile, int blocks, class Source>
cudaError_t run_pipe(const Batch& x, const Source& source, index_t tiles, Slot slot) {
    return launch<pipe_kernel<Tile, T, Source, blocks>>(
        tiles, Tile::threads, pipe_bytes<Tile, T, Source>, slot, x, source, slot.gate);
}
template <class T, class Tile, class Source>
cudaError_t run_fma(const Batch& x, const Source& source, index_t tiles, Slot slot) {
    return launch<fma_kernel<Tile, T, Source>>(tiles, Tile::threads, sizeof(typename Tile::Shared),
                                               slot, x, source, slot.gate);
}

template <class Tile, Shapes shapes>
GridSource<shapes> grid_of(const Batch& x) {
    return {static_cast<int>(parts(x.m.all, Tile::tile_m)),
            static_cast<int>(parts(x.n.all, Tile::tile_n))};
}
template <Shapes shapes>
index_t tiles_of(const Batch& x, const GridSource<shapes>& grid) {
    return x.count * grid.tiles_m * grid.tiles_n;
}

// As functions of a Kernel.
template <int tile_m, int tile_n, int slab, int blocks>
BatchWork work_of_tiles(const Batch& x, int processors) {
    return tile_work(x, {tile_m, tile_n, slab, blocks}, processors);
}
template <class T, class Tile>
cudaError_t pack_all(const Batch& x, Slot slot) {
    return run_pack<T, Tile>(x, Everything{}, x.count, slot);
}
template <class T, class Tile>
cudaError_t warp_all(const Batch& x, Slot slot) {
    return run_warp<T, Tile>(x, Everything{}, x.count, slot);
}
template <class T, class Tile, int blocks>
cudaError_t pipe_all(const Batch& x, Slot slot) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_pipe<T, Tile, blocks>(x, grid, tiles_of(x, grid), slot);
}
template <class T, class Tile>
cudaError_t fma_all(const Batch& x, Slot slot) {
    const auto grid = grid_of<Tile, Shapes::one>(x);
    return run_fma<T, Tile>(x, grid, tiles_of(x, grid), slot);
}

template <class Tile, int many>
cudaError_t run_chain(const Batch& x, Slot slot) {
    const ChainPlan plan = chain_plan<Tile, many>(x);
    if (plan.products == 0) return cudaErrorInvalidValue;
    const SharedBytes shared{
        sizeof(typename Tile::T) * Tile::stages * static_cast<std::size_t>(plan.room), Tile::bytes};
    const auto run = [&]<bool trans_a, bool trans_b>() {
        return launch<chain_kernel<Tile, many, trans_a, trans_b>>(
            parts(x.count, plan.products), Tile::threads, shared, slot, x, plan, slot.gate);
    };
    if (x.op_a.all == Op::NoTrans)
        return x.op_b.all == Op::NoTrans ? run.template operator()<false, false>()
                                         : run.template operator()<false, true>();
    return x.op_b.all == Op::NoTrans ? run.template operator()<true, false>()
                                     : run.template operator()<true, true>();
}
template <class Tile>
cudaError_t chain_all(const Batch& x, Slot slot) {
    if (!is_chain(x)) return cudaErrorInvalidValue;
    return with_many<Tile>(x, [&]<int many>() { return run_chain<Tile, many>(x, slot); });
}
template <class Tile>
bool takes_chain(const Batch& x) {
    return is_chain(x) &&
           with_many<Tile>(x, [&]<int many>() { return chain_plan<Tile, many>(x).products > 0; });
}

// --- many shapes --------------------------------------------------------------------------------

/// What the sort needs in device memory.
struct SortRoom {
    static constexpr std::size_t head = 1024;  // what begins as zeros
    index_t count, jobs;
    std::size_t job_bytes;

    std::size_t bytes() const {
        const auto n = static_cast<std::size_t>(count);
        return head + static_cast<std::size_t>(jobs) * job_bytes +
               n * (sizeof(index_t) + sizeof(int) * (list_classes + 1));
    }
    Sorted lay_out(void* memory) const {
        auto* at = static_cast<char*>(memory);
        Sorted s;
        s.counts = reinterpret_cast<Sorted::Count*>(at);
        s.filled = s.counts + bins;
        s.far = s.filled + bins;
        s.ranges = reinterpret_cast<int*>(s.far + 1);
        s.taken = s.ranges + tile_classes + 1;
        at += head;
        s.jobs = at;
        s.far_first = reinterpret_cast<index_t*>(at + static_cast<std::size_t>(jobs) * job_bytes);
        s.far_products = reinterpret_cast<int*>(s.far_first + count);
        s.lists = s.far_products + count;
        s.room = jobs;
        return s;
    }
};
static_assert((2 * bins + 1) * sizeof(Sorted::Count) + (2 * tile_classes + 1) * sizeof(int) <=
              SortRoom::head);

inline bool is_known(const PerProduct<index_t>& size) {
    return size.each == nullptr || size.all > 0;
}
/// Whether products may be larger than this, by the maxima when they are known.
inline bool may_exceed(const Batch& x, const ListClass& c) {
    if (!is_known(x.m) || !is_known(x.n)) return true;
    // Where k is not known, it may be of any size.
    return !is_in(c, x.m.all, x.n.all, is_known(x.k) ? x.k.all : c.k + index_t{1});
}

/// Room for jobs: as many as there can be, but no more than a batch that fits a GPU will have.
inline index_t room_for_jobs(const Batch& x, const ClassLimits& limits) {
    const index_t enough = 4 * x.count + (index_t{1} << 18);
    for (const ListClass& c : limits.list)
        if (!may_exceed(x, c)) return 0;
    if (!is_known(x.m) || !is_known(x.n)) return enough;
    const int least = limits.tiles[tile_classes - 1].tile;
    return std::min(enough, x.count * parts(x.m.all, least) * parts(x.n.all, least));
}

/// The kernels of a type for each class; those of its lists, the smallest first.
template <class T>
struct Classes;
template <class... Tiles>
struct ListKernels {
    static_assert(sizeof...(Tiles) <= list_classes);
};

template <class Tile>
inline constexpr bool is_ring = requires {
    Tile::room;
};
/// Which products a kernel of a list has room for.
template <class Tile>
constexpr ListClass class_of() {
    if constexpr (is_ring<Tile>)
        return in_ring(Tile::elements);
    else
        return in_tile(Tile::tile_m < Tile::tile_n ? Tile::tile_m : Tile::tile_n, Tile::slab);
}
template <class... Tiles>
constexpr ClassLimits limits_of(ListKernels<Tiles...>, const TileClass (&tiles)[tile_classes]) {
    return {{class_of<Tiles>()...}, {tiles[0], tiles[1], tiles[2]}};
}

template <class T>
cudaError_t sort(const Batch& x, const Sorted& s, cudaStream_t stream) {
    constexpr int threads = 256;
    constexpr ClassLimits limits = Classes<T>::limits;
    const auto blocks = static_cast<unsigned>(parts(x.count, threads));
    count_kernel<threads><<<blocks, threads, sort_bytes, stream>>>(x, limits, s);
    deal_kernel<T, threads><<<blocks, threads, sort_bytes, stream>>>(x, limits, s);
    return cudaPeekAtLastError();
}

/// Products of a list, each in one slab by a warp, or in shared memory.
template <class T, class Tile>
cudaError_t run_list(const Batch& x, const Listed& list, Slot slot) {
    if constexpr (is_ring<Tile>)
        return run_ring<Tile>(x, list, x.count, slot);
    else
        return run_pack<T, Tile>(x, list, x.count, slot);
}

/// Launches the kernels of the classes of a type. Each may begin before the one in front of it has
/// ended, if that one lets it: not a ring that has many products, which is known on the device
/// only.
template <class T>
class ClassRun {
  public:
    using C = Classes<T>;
    ClassRun(const Batch& x, const Sorted& s, cudaStream_t stream) : x_(x), s_(s), slot_{stream} {}

    cudaError_t run() {
        const bool has_jobs = s_.room > 0;
        if (has_jobs && exceeds_tile(1)) add(pipe<typename C::Large, 0>());
        if (has_jobs && exceeds_tile(2)) add(pipe<typename C::Middle, 1>());
        if (has_jobs) add(pipe<typename C::Small, 2>(largest(typename C::Lists{})));
        lists(typename C::Lists{});
        if (has_jobs || !is_near(x_))
            add([&] {
                return run_fma<T, typename C::Far>(
                    x_, TileList{s_.far, s_.far_products, s_.far_first}, any_number, slot_);
            });
        return error_;
    }

  private:
    bool exceeds_tile(int q) const {
        return may_exceed(x_, in_tile(C::limits.tiles[q].tile, any_size));
    }
    template <class F>
    void add(F launched) {
        if (error_ != cudaSuccess) return;
        error_ = launched();
        slot_.early = early_;  // what is behind the first; that one waits for the sort
    }
    template <class Tile, int q>
    auto pipe(const RingBehind& behind = {}) const {
        return [this, behind] {
            const JobList jobs{s_.jobs, s_.ranges + q, s_.taken + q, behind};
            return run_pipe<T, Tile, C::blocks[q]>(x_, jobs, any_number, slot_);
        };
    }
    /// The largest first.
    template <class... Tiles>
    void lists(ListKernels<Tiles...>) {
        lists<Tiles...>(std::make_index_sequence<sizeof...(Tiles)>{});
    }
    template <class... Tiles, std::size_t... q>
    void lists(std::index_sequence<q...>) {
        constexpr std::size_t last = sizeof...(Tiles) - 1;
        using All = std::tuple<Tiles...>;
        (list<std::tuple_element_t<last - q, All>,
              std::tuple_element_t<(q < last ? last - q - 1 : 0), All>>(static_cast<int>(last - q)),
         ...);
    }
    /// Next: of the list behind it, if q > 0.
    template <class Tile, class Next>
    void list(int q) {
        if (q > 0 && !may_exceed(x_, C::limits.list[q - 1])) return;
        const RingBehind behind = q > 0 ? as_behind<Next>(q - 1) : RingBehind{};
        add([&] {
            return run_list<T, Tile>(x_, Listed{s_.lists + q * x_.count, s_.counts + q, behind},
                                     slot_);
        });
    }
    template <class... Tiles>
    RingBehind largest(ListKernels<Tiles...>) {
        constexpr int last = sizeof...(Tiles) - 1;
        return as_behind<std::tuple_element_t<last, std::tuple<Tiles...>>>(last);
    }
    template <class Tile>
    RingBehind as_behind(int q) {
        if constexpr (is_ring<Tile>) {
            int blocks = 0;
            if (error_ == cudaSuccess)
                error_ =
                    blocks_at_once<ring_kernel<Tile, Listed>>(Tile::threads, Tile::bytes, blocks);
            return {s_.counts + q, index_t{blocks} * RingBlock<Tile>::at_once};
        }
        return {};
    }

    const Batch& x_;
    const Sorted& s_;
    Slot slot_;
    const bool early_ = has_early_launch();
    cudaError_t error_ = cudaSuccess;
};

template <class T>
cudaError_t run_classes(const Batch& x, const Sorted& s, cudaStream_t stream) {
    if (const auto e = sort<T>(x, s, stream)) return e;
    return ClassRun<T>(x, s, stream).run();
}

template <class T>
cudaError_t early_end(const Batch& x, cudaStream_t stream) {
    using Tile = typename Classes<T>::Middle;
    const auto grid = grid_of<Tile, Shapes::many>(x);
    return run_pipe<T, Tile, Classes<T>::blocks[1]>(x, grid, tiles_of(x, grid), {stream});
}

/// What a file of a type provides.
template <class T>
struct OfType {
    static std::span<const Kernel> kernels();
    static index_t room_for_jobs(const Batch& x);
    static cudaError_t classes(const Batch& x, const Sorted& s, cudaStream_t stream);
    static cudaError_t early(const Batch& x, cudaStream_t stream);
};

}  // namespace gemmill::batch
