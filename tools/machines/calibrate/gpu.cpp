// SPDX-License-Identifier: Apache-2.0
#include "machines/calibrate/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <latch>
#include <limits>
#include <memory>
#include <thread>

#include "backend/gpu/devices.hpp"
#include "backend/gpu/staging/staging.hpp"
#include "command/stopwatch.hpp"
#include "gemmill/error.hpp"
#include "machines/calibrate/gpu_bench.hpp"
#include "machines/calibrate/odd.hpp"
#include "machines/calibrate/ops.hpp"

namespace gemmill::command {
namespace {

CopyArgs copy_of(const void* from, void* to, index_t rows, index_t cols, index_t from_ld) {
    return {from, from_ld, to, rows, rows, cols, 8};
}

constexpr index_t copy_words = copy_bytes / 8;

struct LinkFigures {
    double in = 0, out = 0;  // bytes/s alone
    double both = 0;         // bytes/s of both together
    double in_latency = 0, out_latency = 0;
    double run_overhead = 0;
    double local = 0;  // bytes/s within the GPU
};

void copy(GpuBench& bench, std::size_t stream, const CopyArgs& args) {
    bench.require_ok(bench.driver().copy(bench.stream(stream), args, {}));
}

/// What each run of a 2-D copy costs beyond its bytes: the median over runs of several lengths.
double run_overhead(GpuBench& bench, double bandwidth) {
    std::vector<double> all;
    constexpr index_t ld = 16384;
    for (const index_t rows : {512, 1024, 2048, 4096}) {
        const index_t cols = std::min<index_t>(copy_words / ld, 4096);
        const double seconds = bench.seconds(
            [&] { copy(bench, 0, copy_of(bench.host(0), bench.device(0), rows, cols, ld)); });
        all.push_back(std::max(
            0.0, seconds * bandwidth / static_cast<double>(cols) - static_cast<double>(8 * rows)));
    }
    std::ranges::sort(all);
    return (all[1] + all[2]) / 2;
}

LinkFigures measure_links(GpuBench& bench) {
    LinkFigures f;
    const CopyArgs in = copy_of(bench.host(0), bench.device(0), copy_words, 1, copy_words);
    const CopyArgs out = copy_of(bench.device(1), bench.host(1), copy_words, 1, copy_words);
    const CopyArgs word_in = copy_of(bench.host(0), bench.device(0), 1, 1, 1);
    const CopyArgs word_out = copy_of(bench.device(1), bench.host(1), 1, 1, 1);
    const CopyArgs inside = copy_of(bench.device(0), bench.device(1), copy_words, 1, copy_words);
    const auto bytes = static_cast<double>(copy_bytes);
    f.in = bytes / bench.seconds([&] { copy(bench, 0, in); });
    f.out = bytes / bench.seconds([&] { copy(bench, 0, out); });
    f.both = 2 * bytes / bench.seconds([&] {
        bench.join(0, 1);
        copy(bench, 0, in);
        copy(bench, 1, out);
        bench.join(1, 0);
    });
    f.in_latency = bench.seconds([&] { copy(bench, 0, word_in); });
    f.out_latency = bench.seconds([&] { copy(bench, 0, word_out); });
    f.run_overhead = run_overhead(bench, f.in);
    f.local = bytes / bench.seconds([&] { copy(bench, 0, inside); });
    return f;
}

GemmArgs product(GpuBench& bench, Type type, index_t edge, index_t k) {
    return {type, Op::NoTrans, Op::NoTrans,     edge, edge,
            k,    {1, 0},      bench.device(0), edge, bench.device(1),
            k,    {1, 0},      bench.device(2), edge};
}

/// A GPU at its power limit is sometimes slower for a moment. More work of the same kind is never
/// slower a flop, so a rate is at least that of the smaller products.
void smooth(Rates& rates) {
    const std::size_t ks = rates.ks.size();
    for (std::size_t i = 0; i < rates.flops.size(); ++i) {
        if (i % ks > 0) rates.flops[i] = std::max(rates.flops[i], rates.flops[i - 1]);
        if (i >= ks) rates.flops[i] = std::max(rates.flops[i], rates.flops[i - ks]);
    }
}

/// What a GPU does for milliseconds when it is cool it does not do for long: large products first,
/// after a second of the largest.
Rates measure_rates(GpuBench& bench, Type type) {
    constexpr double warm_seconds = 1;
    Rates rates{type, {256, 512, 1024, 2048, 4096, 8192}, {128, 256, 512, 1024, 2048, 4096}, {}};
    const auto seconds_of = [&](double edge, double k) {
        const GemmArgs args =
            product(bench, type, static_cast<index_t>(edge), static_cast<index_t>(k));
        return bench.seconds([&] { bench.require_ok(bench.driver().gemm(bench.blas(), args)); });
    };
    const Stopwatch watch;
    while (watch.seconds() < warm_seconds) seconds_of(rates.edges.back(), rates.ks.back());
    rates.flops.resize(rates.edges.size() * rates.ks.size());
    for (std::size_t i = rates.flops.size(); i-- > 0;) {
        const double edge = rates.edges[i / rates.ks.size()], k = rates.ks[i % rates.ks.size()];
        rates.flops[i] = flops_per_fma(type) * edge * edge * k / seconds_of(edge, k);
    }
    smooth(rates);
    return rates;
}

/// From the end of a kernel in one stream to the end of a small one that waits for it in another,
/// and what the host needs to issue the two and their events.
struct StepFigures {
    double launch = 0, issue = 0;
};

StepFigures measure_steps(GpuBench& bench) {
    constexpr int hops = 512;
    StepFigures f;
    const AddArgs args{Type::d, 1, 1, {1, 0}, bench.device(0), 1, bench.device(1), 1};
    const auto hop = [&] {
        bench.join(0, 1);
        bench.require_ok(bench.driver().add(bench.stream(1), args));
        bench.join(1, 0);
        bench.require_ok(bench.driver().add(bench.stream(0), args));
    };
    bench.once(hop, hops);
    const Stopwatch watch;
    for (int i = 0; i < hops; ++i) hop();
    f.issue = watch.seconds() / hops / 2;
    f.launch = bench.once(hop, hops) / 2;
    return f;
}

/// Moves pageable memory through slots, to the GPU and from it.
class PackingBench {
  public:
    PackingBench(GpuBench& bench, int gpu) : bench_(bench), gpu_(gpu) {
        for (auto& block : pageable_) {
            block = std::make_unique_for_overwrite<std::byte[]>(copy_bytes);
            std::memcpy(block.get(), bench.host(0), copy_bytes);
        }
    }

    CopyArgs in(index_t rows, index_t cols, index_t ld) const {
        return copy_of(pageable_[0].get(), bench_.device(0), rows, cols, ld);
    }
    CopyArgs out() const {
        return copy_of(bench_.device(1), pageable_[1].get(), column, copy_words / column, column);
    }
    CopyArgs in() const { return in(column, copy_words / column, column); }

    /// Seconds of these moves, begun together: the best of three.
    double seconds(Staging& staging, const std::vector<CopyArgs>& moves) {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 3; ++i) best = std::min(best, once(staging, moves));
        return best;
    }

  private:
    static constexpr index_t column = 4096;

    double once(Staging& staging, const std::vector<CopyArgs>& all) {
        const auto comes = [&](const CopyArgs& args) { return args.from == pageable_[0].get(); };
        std::latch ended(2 * std::ssize(all) - std::ranges::count_if(all, comes));
        std::atomic<int> first = 0;
        const auto count = [&](int fault) {
            if (fault != 0) first = fault;
            ended.count_down();
        };
        std::vector<Staging::Move> moves(all.size());
        const Stopwatch watch;
        for (std::size_t i = 0; i < all.size(); ++i) {
            Staging::Move& move = moves[i];
            move.args = all[i];
            move.to_device = comes(all[i]);
            move.lane = {gpu_, bench_.stream(move.to_device ? 0 : 1), nullptr};
            move.issued = move.ended = count;
            staging.begin(move);
            if (const auto fault = staging.release(move)) count(*fault);
        }
        ended.wait();
        bench_.require_ok(first);
        bench_.wait(0);
        return watch.seconds();
    }

    GpuBench& bench_;
    const int gpu_;
    std::array<std::unique_ptr<std::byte[]>, 2> pageable_;
};

/// With which threads and slots pageable memory moves fastest; more threads only where they pay.
/// Three matrices come, and one goes while another comes.
StagingSetup best_staging(GpuBench& bench, PackingBench& packing) {
    constexpr double pays = 0.98, other_slot_pays = 0.95, alone = 2;
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    double best = std::numeric_limits<double>::infinity();
    StagingSetup chosen;
    for (const int threads : {1, 2, 4, 6, 8, 12, 16}) {
        if (threads > std::max(1, cores / 2)) break;
        for (const index_t slot : {4, 2, 8}) {
            const StagingSetup setup = staging_with(threads, slot << 20);
            EventPool events(bench.driver(), GpuEventKind::sleeping);
            Staging staging(bench.driver(), events, setup);
            const double seconds = alone * packing.seconds(staging, {packing.in()}) +
                                   packing.seconds(staging, {packing.in(), packing.out()});
            if (seconds > (slot == 4 ? pays : other_slot_pays) * best) continue;
            best = seconds;
            chosen = setup;
        }
    }
    return chosen;
}

Packing measure_packing(GpuBench& bench, PackingBench& packing, const StagingSetup& setup) {
    EventPool events(bench.driver(), GpuEventKind::sleeping);
    Staging staging(bench.driver(), events, setup);
    constexpr auto bytes = static_cast<double>(copy_bytes);
    constexpr index_t ld = 4096, rows = 512, cols = copy_words / ld;
    Packing p;
    p.in = bytes / packing.seconds(staging, {packing.in()});
    p.out = bytes / packing.seconds(staging, {packing.out()});
    p.both = 2 * bytes / packing.seconds(staging, {packing.in(), packing.out()});
    p.latency = packing.seconds(staging, {packing.in(1, 1, 1)});
    const double runs = packing.seconds(staging, {packing.in(rows, cols, ld)}) - p.latency;
    p.run_overhead = std::max(0.0, runs * p.in / cols - 8.0 * rows);
    return p;
}

void put_packing(GpuBench& bench, Machine& machine, int gpu, MemoryId memory) {
    PackingBench packing(bench, gpu);
    const StagingSetup setup = best_staging(bench, packing);
    machine.packers = setup.threads;
    machine.slot = setup.slot_bytes;
    add_pageable(machine, memory, measure_packing(bench, packing, setup),
                 fmt::format("measured: 512 MiB by {} threads each way", setup.threads));
}

void put_links(Machine& machine, MemoryId host, MemoryId memory, const LinkFigures& f) {
    const std::string name = machine.memories[static_cast<std::size_t>(memory)].name;
    const auto resource = static_cast<ResourceId>(machine.resources.size());
    machine.resources.push_back(
        {name + ".duplex", f.both, "measured: both ways at once, 512 MiB each"});
    const auto put = [&](MemoryId from, MemoryId to, double bandwidth, double latency) -> Link& {
        Link& link = machine.links[static_cast<std::size_t>(find_link(machine, from, to))];
        link.bandwidth = bandwidth;
        link.latency = latency;
        link.origin = "measured: 512 MiB of pinned memory, a copy of 8 bytes, and 2-D copies";
        return link;
    };
    for (Link* link :
         {&put(host, memory, f.in, f.in_latency), &put(memory, host, f.out, f.out_latency)}) {
        link->run_overhead = f.run_overhead;
        link->resources.push_back(resource);
    }
    put(memory, memory, f.local, 0).origin = "measured: 512 MiB within the GPU";
}

}  // namespace

void calibrate_gpu(Machine& machine, const GpuDriver& driver, int gpu) {
    const MemoryId memory = find_memory(machine, fmt::format("gpu{}", gpu));
    Device& device = *std::ranges::find(machine.devices, memory, &Device::memory);
    GpuBench bench(driver, gpu, room_of(machine, device));
    put_links(machine, find_memory(machine, "host"), memory, measure_links(bench));
    const StepFigures steps = measure_steps(bench);
    device.launch = steps.launch;
    machine.issue = steps.issue;
    device.rates.clear();
    for (int t = 0; t < type_count; ++t) {
        device.rates.push_back(measure_rates(bench, static_cast<Type>(t)));
        device.peak[static_cast<std::size_t>(t)] = std::ranges::max(device.rates.back().flops);
    }
    if (device.chip >= 0) {
        Chip& chip = machine.chips[static_cast<std::size_t>(device.chip)];
        put_ops(chip, bench, device);
        put_odd(chip, bench);
    }
    put_packing(bench, machine, gpu, memory);
    device.origin = fmt::format("{}; rates, peaks and launch measured", device.origin);
}

}  // namespace gemmill::command
