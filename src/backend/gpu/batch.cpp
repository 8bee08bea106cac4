// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/gpu/session/session.hpp"
#include "backend/run_each.hpp"
#include "matrix/view.hpp"

namespace gemmill {
namespace {

constexpr index_t aligned(index_t bytes) { return (bytes + 15) / 16 * 16; }

/// A, B or C of a product as it is stored.
struct Stored {
    const std::byte* data;
    index_t rows, cols, ld, bytes;  // bytes of an element
    index_t size() const { return rows * cols * bytes; }
};
Stored stored(const GemmArgs& g, std::size_t matrix) {
    const auto of = [&](const void* data, bool as_is, index_t rows, index_t cols, index_t ld) {
        return Stored{static_cast<const std::byte*>(data), as_is ? rows : cols, as_is ? cols : rows,
                      ld, bytes_of(g.type)};
    };
    if (matrix == 0) return of(g.a, g.op_a == Op::NoTrans, g.m, g.k, g.lda);
    if (matrix == 1) return of(g.b, g.op_b == Op::NoTrans, g.k, g.n, g.ldb);
    return of(g.c, true, g.m, g.n, g.ldc);
}

bool reads(const GemmArgs& g, std::size_t matrix) {
    if (g.m == 0 || g.n == 0) return false;
    return matrix == 2 ? g.beta != Scalar{} : g.k > 0 && g.alpha != Scalar{};
}

/// All of A or of B is one matrix, which all products read or none.
bool is_shared(const Batch& x, std::size_t matrix) {
    const BatchMatrix& of = matrix == 0 ? x.a : x.b;
    return matrix < 2 && of.array == nullptr && of.stride == 0 && x.alpha.each == nullptr;
}

CopyArgs bytes_from(const void* from, void* to, index_t bytes) {
    return {from, bytes, to, bytes, bytes, 1, 1};
}

/// Copies matrices between their places and a slot by all who share the loop: f(product, matrix,
/// first column, last column) for some tens of kilobytes at a time; large matrices are cut.
template <class F>
void for_columns(const Batch& x, index_t bytes, const Loop& loop, F f) {
    constexpr index_t worthwhile = 1 << 16;
    const index_t cuts = std::max<index_t>(1, bytes / (x.count * worthwhile));
    const index_t part = std::max<index_t>(1, worthwhile * x.count / std::max<index_t>(1, bytes));
    loop(x.count * cuts, part, [&](index_t first, index_t last) {
        for (index_t q = first; q < last; ++q) {
            const index_t cut = q % cuts;
            const GemmArgs g = product_of(x, q / cuts);
            for (std::size_t matrix = 0; matrix < 3; ++matrix) {
                const index_t cols = stored(g, matrix).cols;
                f(q / cuts, g, matrix, cols * cut / cuts, cols * (cut + 1) / cuts);
            }
        }
    });
}

}  // namespace

BatchLane::BatchLane(GpuBackend::State& state, DeviceId device)
    : state_(state), driver_(state.driver()), device_(device) {}

BatchLane::~BatchLane() {
    drain();
    // Events outlive the streams that they were recorded in.
    for (Slot& slot : slots_)
        if (slot.stream != nullptr) driver_.close_stream(slot.stream);
    for (Slot& slot : slots_)
        if (slot.event != nullptr) driver_.close_event(slot.event);
}

void BatchLane::require_ok(int fault, const char* what) {
    if (fault != 0 && driver_.fault(fault) == GpuFault::lost)
        state_.lost.add(
            state_.ordinal(state_.setup.machine.devices[static_cast<std::size_t>(device_)].memory));
    gemmill::require_ok(driver_, fault, fmt::format("gemm_batch: {}", what));
}

BatchLane::Piece BatchLane::lay_out(const Batch& x) {
    Piece piece;
    piece.batch = x;
    piece.uniform = is_uniform(x);
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
        piece.begin[matrix] = piece.bytes = (piece.bytes + 255) / 256 * 256;
        if (piece.uniform) {
            const bool shared = is_shared(x, matrix);
            const index_t size = stored(product_of(x, 0), matrix).size();
            piece.stride[matrix] = shared ? 0 : size;
            piece.bytes += shared ? size : x.count * size;
            continue;
        }
        for (index_t i = 0; i < x.count; ++i) {
            piece.each[matrix].push_back(piece.bytes);
            piece.bytes += aligned(stored(product_of(x, i), matrix).size());
        }
    }
    return piece;
}

/// As many products as fit into a slot, or one.
index_t BatchLane::end_of_piece(const Batch& x, index_t first, index_t last) const {
    const index_t slot = state_.setup.batch_slot;
    const auto size = [&](index_t i) {
        const GemmArgs g = product_of(x, i);
        index_t bytes = 0;
        for (std::size_t matrix = 0; matrix < 3; ++matrix)
            bytes += aligned(stored(g, matrix).size());
        return bytes;
    };
    if (is_uniform(x))
        return std::min(last, first + std::max<index_t>(1, slot / std::max<index_t>(1, size(0))));
    index_t end = first + 1;
    for (index_t bytes = size(first); end < last; ++end)
        if ((bytes += size(end)) > slot) break;
    return end;
}

void BatchLane::make_room(Slot& slot, index_t bytes) {
    const MemoryId memory = state_.setup.machine.devices[static_cast<std::size_t>(device_)].memory;
    const int gpu = state_.ordinal(memory);
    if (slot.stream == nullptr)
        require_ok(driver_.open_stream(gpu, false, &slot.stream), "a stream");
    if (slot.event == nullptr)
        require_ok(driver_.open_event(gpu, GpuEventKind::sleeping, &slot.event), "an event");
    if (slot.capacity >= bytes) return;
    const auto wanted = static_cast<std::size_t>(std::max(bytes, state_.setup.batch_slot + 768));
    slot.capacity = 0;
    slot.host = nullptr, slot.device = nullptr;
    slot.host = state_.allocate(find_memory(state_.setup.machine, "host"), wanted);
    slot.device = state_.allocate(memory, wanted);
    slot.capacity = static_cast<index_t>(wanted);
}

void BatchLane::pack(const Slot& slot, const Loop& loop) {
    const Piece& piece = slot.piece;
    for_columns(piece.batch, piece.bytes, loop,
                [&](index_t i, const GemmArgs& g, std::size_t matrix, index_t first, index_t last) {
                    const bool done = piece.uniform && piece.stride[matrix] == 0 && i > 0;
                    if (done || !reads(g, matrix)) return;
                    const Stored x = stored(g, matrix);
                    const index_t run = x.rows * x.bytes;
                    copy_block(x.data + first * x.ld * x.bytes, x.ld,
                               slot.host.get() + piece.at(matrix, i) + first * run, x.rows, x.rows,
                               last - first, x.bytes);
                });
}

/// The products with their matrices where the device has them, in arrays that must live on.
struct BatchLane::Arrays {
    std::array<std::vector<const void*>, 3> data;
    std::array<std::vector<index_t>, 3> ld;
};
Batch BatchLane::there(const Slot& slot, Arrays& arrays) {
    const Piece& piece = slot.piece;
    Batch x = piece.batch;
    BatchMatrix* matrices[] = {&x.a, &x.b, &x.c};
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
        BatchMatrix& to = *matrices[matrix];
        const auto ld = [&](index_t i) {
            return std::max<index_t>(1, stored(product_of(piece.batch, i), matrix).rows);
        };
        const std::byte* memory = slot.device.get();
        if (piece.uniform) {
            const index_t stride = piece.stride[matrix] / bytes_of(x.type);
            to = {memory + piece.begin[matrix], stride, nullptr, {ld(0)}};
            continue;
        }
        for (index_t i = 0; i < x.count; ++i) {
            arrays.data[matrix].push_back(memory + piece.at(matrix, i));
            arrays.ld[matrix].push_back(ld(i));
        }
        to = {nullptr, 0, arrays.data[matrix].data(), {1, arrays.ld[matrix].data()}};
    }
    return x;
}

void BatchLane::start(Slot& slot, const Loop& loop) {
    const Piece& piece = slot.piece;
    pack(slot, loop);
    Arrays arrays;
    const Batch x = there(slot, arrays);
    const bool reads_c = x.beta.each != nullptr || x.beta.all != Scalar{};
    const index_t in = reads_c ? piece.bytes : piece.begin[2];
    slot.busy = true;
    if (in > 0)
        require_ok(
            driver_.copy(slot.stream, bytes_from(slot.host.get(), slot.device.get(), in), {}),
            "copy to a device");
    require_ok(driver_.batch_in(slot.stream, x), "products");
    const index_t c = piece.begin[2], out = piece.bytes - c;
    if (out > 0)
        require_ok(driver_.copy(slot.stream,
                                bytes_from(slot.device.get() + c, slot.host.get() + c, out), {}),
                   "copy from a device");
    require_ok(driver_.record(slot.event, slot.stream), "an event");
}

void BatchLane::finish(Slot& slot, const Loop& loop) {
    if (!slot.busy) return;
    require_ok(driver_.synchronize(slot.event), "products");
    slot.busy = false;
    const Piece& piece = slot.piece;
    for_columns(piece.batch, piece.bytes, loop,
                [&](index_t i, const GemmArgs& g, std::size_t matrix, index_t first, index_t last) {
                    if (matrix != 2 || g.m == 0 || g.n == 0) return;
                    const Stored c = stored(g, 2);
                    const index_t run = c.rows * c.bytes;
                    copy_block(slot.host.get() + piece.at(2, i) + first * run, c.rows,
                               static_cast<std::byte*>(g.c) + first * c.ld * c.bytes, c.ld, c.rows,
                               last - first, c.bytes);
                });
}

void BatchLane::drain() noexcept {
    for (Slot& slot : slots_) {
        if (slot.busy && driver_.record(slot.event, slot.stream) == 0)
            driver_.synchronize(slot.event);
        slot.busy = false;
    }
}

void BatchLane::run(const Batch& x, index_t first, index_t last, const Loop& loop,
                    const std::atomic<bool>& stop) {
    try {
        std::size_t turn = 0;
        for (index_t next = first; next < last && !stop; ++turn) {
            Slot& slot = slots_[turn % slots_.size()];
            finish(slot, loop);
            const index_t end = end_of_piece(x, next, last);
            slot.piece = lay_out(slice(x, next, end));
            make_room(slot, slot.piece.bytes);
            start(slot, loop);
            next = end;
        }
        for (std::size_t i = 0; i < slots_.size(); ++i, ++turn)
            finish(slots_[turn % slots_.size()], loop);
    } catch (...) {
        drain();
        throw;
    }
}

const GpuDriver& GpuBackend::driver() const noexcept { return state_->driver(); }

std::vector<DeviceId> GpuBackend::working_devices() const {
    std::vector<DeviceId> working;
    for (DeviceId d = 0; d < std::ssize(machine().devices); ++d)
        if (!lost(d)) working.push_back(d);
    return working;
}

std::vector<BatchWorker> GpuBackend::batch_workers(Type type) const {
    return workers_of(working_devices(), type);
}

std::vector<BatchWorker> GpuBackend::workers_of(const std::vector<DeviceId>& devices,
                                                Type type) const {
    const Machine& node = machine();
    const MemoryId host = find_memory(node, "host");
    std::vector<BatchWorker> workers;
    for (const DeviceId d : devices) {
        const Device& device = node.devices[static_cast<std::size_t>(d)];
        // Shares of a GPU share its links.
        const auto sharing = static_cast<double>(
            std::ranges::count(state_->setup.ordinals, state_->ordinal(device.memory)));
        const auto rate = [&](LinkId link) {
            return link < 0 ? device.bandwidth
                            : node.links[static_cast<std::size_t>(link)].bandwidth / sharing;
        };
        const double peak = device.peak[static_cast<std::size_t>(type)];
        workers.push_back({peak > 0 ? peak : device.bandwidth,
                           rate(find_link(node, host, device.memory)),
                           rate(find_link(node, device.memory, host))});
    }
    return workers;
}

void GpuBackend::batch(const Batch& x, const Loop& loop) {
    const std::lock_guard turn(state_->batch_turn);
    const std::vector<DeviceId> devices = working_devices();
    require(!devices.empty(), Code::no_device, "a working device",
            "gemm_batch: all devices were lost; this process cannot use them any more");
    const std::vector<index_t> bounds = deal(x, workers_of(devices, x.type));
    auto& lanes = state_->batch_lanes;
    for (const DeviceId d : devices)
        if (!lanes.contains(d)) lanes[d] = std::make_unique<BatchLane>(*state_, d);
    std::atomic<bool> stop = false;
    run_each(devices.size(), [&](std::size_t i) {
        try {
            lanes.at(devices[i])->run(x, bounds[i], bounds[i + 1], loop, stop);
        } catch (...) {
            stop = true;
            throw;
        }
    });
}

}  // namespace gemmill
