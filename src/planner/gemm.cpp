// SPDX-License-Identifier: Apache-2.0
// Each device computes its block of C tile by tile. While everything fits it goes through its C
// tiles one after the other with k innermost; otherwise through resident parts of C, with k
// outside, so that each panel of A and B is fetched once for the whole part:
//
//     all of it fits               a part of 2 x 2 tiles is resident
//     C00: k0 k1 k2                k0: C00 C01 C10 C11
//     C01: k0 k1 k2                k1: C00 C01 C10 C11
//     ...                          ... then the next part
//
// The devices take turns in issue order. Fetches are issued with the first product that needs them
// and run ahead as far as free slots allow.
#include "planner/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gemmill/error.hpp"
#include "plan/access.hpp"
#include "planner/builder.hpp"
#include "planner/decompose.hpp"
#include "planner/fit.hpp"

namespace gemmill {
namespace {

constexpr index_t relay_slots = 16;
constexpr std::int64_t most_queues = 256;

/// One product of tiles, by number within the device's block.
struct Product {
    std::int32_t i, j, k;
};

/// Everything about one device while its part of the plan is made.
struct Worker {
    Block block;
    MemoryId memory = -1;
    Fit fit;
    std::vector<Part> rows, cols, ks;
    std::vector<Product> order;
    std::size_t next = 0;  // in order
    std::array<Builder::Pool, 3> pools;
    std::vector<BufferId> sums;   // buffer of each C tile
    std::vector<index_t> done;    // products of each C tile
    std::vector<QueueId> queues;  // compute
    StepId last = -1;             // its last step
};

class GemmPlanner {
  public:
    GemmPlanner(Plan& plan, const Policy& policy, const Options& options)
        : plan_(plan), problem_(plan.problem), policy_(policy), options_(options), builder_(plan) {}

    void make() {
        for (const Block& block : make_grid(plan_.machine, problem_, plan_.devices))
            workers_.push_back(make_worker(block));
        resident_.resize(plan_.machine.memories.size());
        for (bool more = true; more;) {
            more = false;
            for (Worker& worker : workers_) more = advance(worker) || more;
        }
    }

  private:
    bool multiplies() const { return is_read(problem_, Operand::A); }

    bool is_local(const Worker& worker, Operand operand) const {
        return problem_.home[static_cast<std::size_t>(operand)] == worker.memory;
    }

    // --- one device's share ---------------------------------------------------------------------

    Worker make_worker(const Block& block) {
        Worker w;
        w.block = block;
        w.memory = plan_.machine.devices[static_cast<std::size_t>(block.device)].memory;
        const TileSize tile = tile_of(w);
        w.fit = fit_in_memory(room_of(w), tile, options_.tile == 0);
        w.rows = cut_by_size(block.rows, w.fit.tile.m);
        w.cols = cut_by_size(block.cols, w.fit.tile.n);
        w.ks = multiplies() ? cut_by_size({0, problem_.k}, w.fit.tile.k) : std::vector<Part>{{}};
        for (std::size_t i = 0; i < 3; ++i)
            if (w.fit.slots[i] > 0)
                w.pools[i] = builder_.make_pool(w.memory, w.fit.slot_bytes[i], w.fit.slots[i]);
        w.sums.assign(w.rows.size() * w.cols.size(), -1);
        w.done.assign(w.sums.size(), 0);
        w.order = order_of(w);
        const Device& device = plan_.machine.devices[static_cast<std::size_t>(block.device)];
        const auto queues = options_.queues > 0 ? std::min(options_.queues, most_queues)
                                                : std::int64_t{device.queues};
        for (int q = 0; q < (policy_.overlap ? queues : 1); ++q)
            w.queues.push_back(builder_.compute_queue(block.device, q));
        return w;
    }

    /// A device that has everything in its own memory does its block in one step, in place.
    TileSize tile_of(const Worker& w) const {
        const index_t k = multiplies() ? problem_.k : 1;
        const bool all_local =
            is_local(w, Operand::C) &&
            (!multiplies() || (is_local(w, Operand::A) && is_local(w, Operand::B)));
        if (options_.tile > 0) {
            const index_t t = options_.tile;
            return {std::min(t, w.block.rows.count), std::min(t, w.block.cols.count),
                    std::min(t, k)};
        }
        if (all_local) return {w.block.rows.count, w.block.cols.count, k};
        return choose_tile(w.block.rows, w.block.cols, k);
    }

    Room room_of(const Worker& w) const {
        Room room;
        room.block = w.block;
        room.k = multiplies() ? problem_.k : 0;
        room.type = problem_.type;
        room.limit = plan_.limit[static_cast<std::size_t>(w.memory)] -
                     plan_.slab[static_cast<std::size_t>(w.memory)];
        room.keep_all = policy_.caching;
        room.local = {is_local(w, Operand::A), is_local(w, Operand::B), is_local(w, Operand::C)};
        return room;
    }

    std::vector<Product> order_of(const Worker& w) const {
        const auto m = static_cast<std::int32_t>(w.rows.size());
        const auto n = static_cast<std::int32_t>(w.cols.size());
        const auto depth = static_cast<std::int32_t>(w.ks.size());
        const auto part_rows = static_cast<std::int32_t>(w.fit.whole ? 1 : w.fit.rows);
        const auto part_cols = static_cast<std::int32_t>(w.fit.whole ? 1 : w.fit.cols);
        std::vector<Product> order;
        order.reserve(w.sums.size() * w.ks.size());
        for (std::int32_t i0 = 0; i0 < m; i0 += part_rows)
            for (std::int32_t j0 = 0; j0 < n; j0 += part_cols)
                for (std::int32_t k = 0; k < depth; ++k)
                    for (std::int32_t i = i0; i < std::min(m, i0 + part_rows); ++i)
                        for (std::int32_t j = j0; j < std::min(n, j0 + part_cols); ++j)
                            order.push_back({i, j, k});
        return order;
    }

    // --- steps ----------------------------------------------------------------------------------

    bool advance(Worker& w) {
        if (w.next == w.order.size()) return false;
        multiply(w, w.order[w.next++]);
        return true;
    }

    void multiply(Worker& w, const Product& p) {
        const auto c =
            static_cast<std::size_t>(p.i) * w.cols.size() + static_cast<std::size_t>(p.j);
        const Part& rows = w.rows[static_cast<std::size_t>(p.i)];
        const Part& cols = w.cols[static_cast<std::size_t>(p.j)];
        const Part& k = w.ks[static_cast<std::size_t>(p.k)];
        const TileId tile =
            builder_.tile({Operand::C, rows.first, cols.first, rows.count, cols.count});

        Step step;
        step.kind = StepKind::compute;
        step.queue = w.queues[c % w.queues.size()];
        step.keep = Keep::one;
        if (w.done[c] == 0) {
            step.keep = is_read(problem_, Operand::C) ? Keep::beta : Keep::zero;
            w.sums[c] = start_sum(w, tile, step.keep);
        }
        step.out = {tile, w.sums[c]};
        if (multiplies()) {
            step.in[0] = bring(w, stored_tile(Operand::A, rows, k));
            step.in[1] = bring(w, stored_tile(Operand::B, k, cols));
        }
        emit(w, step);
        if (++w.done[c] == static_cast<index_t>(w.ks.size()) && w.sums[c] != Ref::home)
            write_back(w, step.out);
    }

    /// Where the sum of a C tile grows: in place when one step makes all of it.
    BufferId start_sum(Worker& w, TileId tile, Keep keep) {
        if (w.fit.slots[2] == 0) return Ref::home;
        const BufferId buffer = builder_.take(w.pools[2], tile);
        builder_.hold(buffer);
        if (keep == Keep::beta) fetch(w, {tile, Ref::home}, {tile, buffer});
        return buffer;
    }

    TileId stored_tile(Operand operand, const Part& rows, const Part& cols) {
        const bool as_is = (operand == Operand::A ? problem_.op_a : problem_.op_b) == Op::NoTrans;
        const Part &r = as_is ? rows : cols, &c = as_is ? cols : rows;
        return builder_.tile({operand, r.first, c.first, r.count, c.count});
    }

    /// The tile in the worker's memory: where it lives, where it was brought before, or fetched.
    Ref bring(Worker& w, TileId tile) {
        const Operand operand = plan_.tiles[static_cast<std::size_t>(tile)].operand;
        if (is_local(w, operand)) return {tile, Ref::home};
        if (const auto found = resident(w.memory, tile); found && policy_.caching)
            return {tile, *found};
        const BufferId buffer = builder_.take(w.pools[static_cast<std::size_t>(operand)], tile);
        fetch(w, {tile, Ref::home}, {tile, buffer});
        set_resident(w.memory, tile, buffer);
        return {tile, buffer};
    }

    void write_back(Worker& w, const Ref& sum) {
        const MemoryId home = problem_.home[static_cast<std::size_t>(Operand::C)];
        Ref from = sum;
        if (find_link(plan_.machine, w.memory, home) < 0) {
            from.buffer = builder_.take(relay_pool(Operand::C), sum.tile);
            move(w, StepKind::fetch, sum, from);
        }
        move(w, StepKind::write, from, {sum.tile, Ref::home});
        builder_.let_go(sum.buffer);
    }

    // --- ways -----------------------------------------------------------------------------------

    /// Home to device over their link, or through host memory when there is none.
    void fetch(Worker& w, const Ref& from, const Ref& to) {
        if (find_link(plan_.machine, memory_of(plan_, from), memory_of(plan_, to)) >= 0) {
            move(w, StepKind::fetch, from, to);
            return;
        }
        const MemoryId host = host_memory();
        Ref stop{from.tile, Ref::home};
        if (const auto found = resident(host, from.tile)) {
            stop.buffer = *found;
        } else {
            const Operand operand = plan_.tiles[static_cast<std::size_t>(from.tile)].operand;
            stop.buffer = builder_.take(relay_pool(operand), from.tile);
            move(w, StepKind::fetch, from, stop);
            set_resident(host, from.tile, stop.buffer);
        }
        move(w, StepKind::fetch, stop, to);
    }

    MemoryId host_memory() const {
        const auto& all = plan_.machine.memories;
        const auto host = std::ranges::find(all, MemoryKind::host, &Memory::kind);
        return static_cast<MemoryId>(host - all.begin());
    }

    /// Tiles of the largest size that any worker has.
    Builder::Pool& relay_pool(Operand operand) {
        auto& pool = relays_[static_cast<std::size_t>(operand)];
        if (!pool) {
            std::int64_t bytes = 0;
            for (const Worker& w : workers_)
                bytes = std::max(bytes, w.fit.slot_bytes[static_cast<std::size_t>(operand)]);
            pool = builder_.make_pool(host_memory(), bytes, relay_slots);
        }
        return *pool;
    }

    void move(Worker& w, StepKind kind, const Ref& from, const Ref& to) {
        const MemoryId a = memory_of(plan_, from), b = memory_of(plan_, to);
        require(find_link(plan_.machine, a, b) >= 0, Code::no_device, "a link, or a way over host",
                fmt::format("machine {} has no way from {} to {}", plan_.machine.name,
                            plan_.machine.memories[static_cast<std::size_t>(a)].name,
                            plan_.machine.memories[static_cast<std::size_t>(b)].name));
        serialize(w);
        w.last = builder_.move(kind, from, to);
    }

    void emit(Worker& w, const Step& step) {
        serialize(w);
        w.last = builder_.emit(step);
    }

    /// Without overlap each step of a device waits for the one before.
    void serialize(const Worker& w) {
        if (!policy_.overlap && w.last >= 0) builder_.also_wait(w.last);
    }

    // --- what is where --------------------------------------------------------------------------

    std::optional<BufferId> resident(MemoryId memory, TileId tile) const {
        const auto& map = resident_[static_cast<std::size_t>(memory)];
        if (static_cast<std::size_t>(tile) >= map.size()) return std::nullopt;
        const BufferId buffer = map[static_cast<std::size_t>(tile)];
        if (buffer < 0 || !builder_.alive(buffer)) return std::nullopt;
        return buffer;
    }

    void set_resident(MemoryId memory, TileId tile, BufferId buffer) {
        auto& map = resident_[static_cast<std::size_t>(memory)];
        if (static_cast<std::size_t>(tile) >= map.size())
            map.resize(static_cast<std::size_t>(tile) + 1, -1);
        map[static_cast<std::size_t>(tile)] = buffer;
    }

    Plan& plan_;
    const Problem& problem_;
    const Policy& policy_;
    const Options& options_;
    Builder builder_;
    std::vector<Worker> workers_;
    std::vector<std::vector<BufferId>> resident_;  // by memory, then tile
    std::array<std::optional<Builder::Pool>, 3> relays_;
};

}  // namespace

void plan_gemm(Plan& plan, const Policy& policy, const Options& options) {
    GemmPlanner(plan, policy, options).make();
}

}  // namespace gemmill
