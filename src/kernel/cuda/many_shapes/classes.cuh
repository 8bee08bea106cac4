// SPDX-License-Identifier: Apache-2.0
// Batches of many shapes: the sort, and then a kernel for each class of products.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "kernel/cuda/many_shapes/ring.cuh"
#include "kernel/cuda/many_shapes/sort.cuh"
#include "kernel/cuda/tile/near.hpp"
#include "kernel/cuda/tile/run.cuh"

namespace gemmill::batch {

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

template <class Tile, class Source>
cudaError_t run_ring(const Batch& x, const Source& source, index_t count, Slot slot) {
    return launch<ring_kernel<Tile, Source>>(count, Tile::threads, Tile::bytes, slot, x, source);
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

}  // namespace gemmill::batch
