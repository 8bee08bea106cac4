// SPDX-License-Identifier: Apache-2.0
// A driver whose GPUs are the host: device memory is host memory that only this driver hands out.
// It shows on any machine what the gpu backend does with streams, events and slots, and it fails
// where a test wants it to.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>

#include "backend/gpu_driver.hpp"
#include "gemmill/version.hpp"
#include "kernel/batch_part.hpp"
#include "kernel/reference/reference.hpp"
#include "matrix/view.hpp"
#include "support/fake_gpus.hpp"

namespace gemmill::test {
namespace fake {

inline FakeGpus& gpus() { return FakeGpus::instance(); }

inline const char* words(int code) {
    return code == FakeGpus::gone        ? "the device is gone"
           : code == FakeGpus::no_memory ? "no memory is left"
                                         : "the call failed";
}
inline GpuFault fault(int code) {
    return code == FakeGpus::gone        ? GpuFault::lost
           : code == FakeGpus::no_memory ? GpuFault::memory
                                         : GpuFault::call;
}
inline int count(int* devices) {
    *devices = 2;
    return 0;
}
inline int probe(const GpuAssumed&, char* text, std::size_t) {
    *text = '\0';
    return 0;
}
inline int free_memory(int device, std::size_t* bytes) {
    const std::lock_guard lock(gpus().mutex);
    *bytes = gpus().limit - std::min(gpus().limit, gpus().used[device]);
    return 0;
}
inline int locate(const void* pointer, GpuPlace* place, int* device) {
    const std::lock_guard lock(gpus().mutex);
    const auto* p = static_cast<const std::byte*>(pointer);
    auto block = gpus().blocks.upper_bound(p);
    *place = GpuPlace::pageable;
    if (block == gpus().blocks.begin()) return 0;
    --block;
    if (p >= block->first + block->second.first) return 0;
    *device = block->second.second;
    *place = *device < 0 ? GpuPlace::pinned : GpuPlace::device;
    return 0;
}
inline int allocate(int device, std::size_t bytes, void** pointer) {
    if (const int f = gpus().fault_of(FakeGpus::Call::allocate, device)) return f;
    const std::lock_guard lock(gpus().mutex);
    if (gpus().used[device] + bytes > gpus().limit) return FakeGpus::no_memory;
    *pointer = std::malloc(bytes);
    gpus().used[device] += bytes;
    gpus().blocks[static_cast<std::byte*>(*pointer)] = {bytes, device};
    return 0;
}
inline int release(int device, void* pointer) {
    const std::lock_guard lock(gpus().mutex);
    const auto block = gpus().blocks.find(static_cast<std::byte*>(pointer));
    gpus().used[device] -= block->second.first;
    gpus().blocks.erase(block);
    std::free(pointer);
    return 0;
}
/// Other processes are this one.
inline int share(int device, void* pointer, GpuSharedBlock* block) {
    std::memcpy(block->block.data(), &pointer, sizeof pointer);
    block->gpu[0] = static_cast<std::byte>(device);
    return 0;
}
inline int open_shared(int device, const GpuSharedBlock& block, void** pointer) {
    if (block.gpu[0] != static_cast<std::byte>(device)) return FakeGpus::bad_call;
    std::memcpy(static_cast<void*>(pointer), block.block.data(), sizeof *pointer);
    ++gpus().opened;
    return 0;
}
inline int close_shared(int, void*) {
    --gpus().opened;
    return 0;
}
inline int pin(void* pointer, std::size_t bytes) {
    if (const int f = gpus().fault_of(FakeGpus::Call::pin)) return f;
    const std::lock_guard lock(gpus().mutex);
    gpus().blocks[static_cast<std::byte*>(pointer)] = {bytes, -1};
    return 0;
}
inline int unpin(void* pointer) {
    const std::lock_guard lock(gpus().mutex);
    gpus().blocks.erase(static_cast<std::byte*>(pointer));
    return 0;
}
inline int copy_now(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return 0;
}
inline int open_stream(int device, bool urgent, GpuStream** stream) {
    *stream = new GpuStream(device, urgent);
    return 0;
}
inline void close_stream(GpuStream* stream) { delete stream; }
inline int open_event(int device, GpuEventKind, GpuEvent** event) {
    *event = new GpuEvent;
    (*event)->device = device;
    return 0;
}
inline void close_event(GpuEvent* event) { delete event; }
inline int open_blas(GpuStream* stream, const GpuRoom&, GpuBlas** blas) {
    *blas = new GpuBlas{stream};
    return 0;
}
inline void close_blas(GpuBlas* blas) { delete blas; }

/// A device that is lost does nothing any more: what was under way has ended.
inline void finish(GpuStream* stream) {
    std::promise<void> ended;
    stream->add([&] { ended.set_value(); });
    ended.get_future().wait();
}
inline int record(GpuEvent* event, GpuStream* stream) {
    if (const int f = gpus().fault_of(FakeGpus::Call::record, stream->device)) {
        if (f == FakeGpus::gone) finish(stream);
        return f;
    }
    std::int64_t mine = 0;
    {
        const std::lock_guard lock(event->mutex);
        mine = ++event->recorded;
    }
    stream->add([event, mine] {
        const std::lock_guard lock(event->mutex);
        event->done = std::max(event->done, mine);  // a later record may be done already
        event->time = std::chrono::steady_clock::now();
        event->happened.notify_all();
    });
    return 0;
}
inline void wait_for(GpuEvent* event, std::int64_t mark) {
    std::unique_lock lock(event->mutex);
    event->happened.wait(lock, [&] { return event->done >= mark; });
}
inline int wait(GpuStream* stream, GpuEvent* event) {
    if (gpus().only >= 0 && gpus().is_lost(event->device)) return FakeGpus::gone;
    std::int64_t mark = 0;
    {
        const std::lock_guard lock(event->mutex);
        mark = event->recorded;
    }
    stream->add([event, mark] { wait_for(event, mark); });
    return 0;
}
inline int synchronize(GpuEvent* event) {
    std::int64_t mark = 0;
    {
        const std::lock_guard lock(event->mutex);
        mark = event->recorded;
    }
    wait_for(event, mark);
    return gpus().is_lost(event->device) ? FakeGpus::gone : FakeGpus::none;
}
inline int query(GpuEvent* event, bool* done) {
    const std::lock_guard lock(event->mutex);
    *done = event->done == event->recorded;
    return gpus().is_lost(event->device) ? FakeGpus::gone : FakeGpus::none;
}
inline int elapsed(GpuEvent* from, GpuEvent* to, double* seconds) {
    const std::scoped_lock lock(from->mutex, to->mutex);
    *seconds = std::chrono::duration<double>(to->time - from->time).count();
    return 0;
}

/// Streams do not run in step: a copy or a kernel now and then comes late.
inline void stumble() {
    static std::atomic<unsigned> calls = 0;
    if (++calls % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

inline int copy(GpuStream* stream, const CopyArgs& a, const BorderArgs& border) {
    if (const int f = gpus().fault_of(FakeGpus::Call::copy, stream->device)) return f;
    for (const auto& [end, ld] :
         {std::pair{a.from, a.from_ld}, std::pair{static_cast<const void*>(a.to), a.to_ld}}) {
        GpuPlace place{};
        int device = 0;
        locate(end, &place, &device);
        if (place == GpuPlace::pageable) ++gpus().copies_by_host;
        if (place == GpuPlace::pinned && a.cols > 1 && a.rows < ld) ++gpus().scattered;
    }
    stream->add([a, border] {
        stumble();
        clear_now(border);
        gemmill::copy_now(a);
    });
    return 0;
}
inline int clear(GpuStream* stream, const BorderArgs& a) {
    stream->add([a] { clear_now(a); });
    return 0;
}
inline int gemm(GpuBlas* blas, const GemmArgs& a) {
    if (const int f = gpus().fault_of(FakeGpus::Call::gemm, blas->stream->device)) return f;
    blas->stream->add([a] {
        stumble();
        reference_kernels().gemm(a);
    });
    return 0;
}
inline int kernel(GpuBlas* blas, const KernelArgs& a) {
    if (const int f = gpus().fault_of(FakeGpus::Call::gemm, blas->stream->device)) return f;
    blas->stream->add([a] {
        stumble();
        reference_kernels().level3(host_call(a));
    });
    return 0;
}
inline int add(GpuStream* stream, const AddArgs& a) {
    if (const int f = gpus().fault_of(FakeGpus::Call::add, stream->device)) return f;
    stream->add([a] {
        stumble();
        reference_kernels().add(a);
    });
    return 0;
}
inline int mirror(GpuStream* stream, const MirrorArgs& a) {
    if (const int f = gpus().fault_of(FakeGpus::Call::add, stream->device)) return f;
    stream->add([a] {
        stumble();
        reference_kernels().mirror(a);
    });
    return 0;
}
/// The products, whose matrices must be the device's own, as a GPU would see to it.
inline int read_batch(int device, const Batch& x, std::vector<GemmArgs>& all) {
    if (const int f = gpus().fault_of(FakeGpus::Call::batch, device)) return f;
    for (index_t i = 0; i < x.count; ++i) {
        all.push_back(product_of(x, i));
        const GemmArgs& g = all.back();
        const bool writes = g.m > 0 && g.n > 0, multiplies = g.k > 0 && g.alpha != Scalar{};
        for (const auto& [pointer, needed] :
             {std::pair{g.a, writes && multiplies}, {g.b, writes && multiplies}, {g.c, writes}}) {
            GpuPlace place{};
            int at = -1;
            locate(pointer, &place, &at);
            if (needed && (place != GpuPlace::device || at != device)) return FakeGpus::gone;
        }
    }
    const std::lock_guard lock(gpus().mutex);
    gpus().products[device] += x.count;
    return 0;
}
inline int batch_in(GpuStream* stream, const Batch& x) {
    std::vector<GemmArgs> all;
    if (const int f = read_batch(stream->device, x, all)) return f;
    stream->add([all] {
        stumble();
        for (const GemmArgs& g : all) reference_kernels().gemm(g);
    });
    return 0;
}
inline int batch(int device, std::optional<void*>, const Batch& x, bool) {
    std::vector<GemmArgs> all;
    if (const int f = read_batch(device, x, all)) return f;
    for (const GemmArgs& g : all) reference_kernels().gemm(g);
    return 0;
}
inline void ignore_captures() { FakeGpus::is_aside() = true; }
inline void begin_range(const char*) {}
inline void end_range() {}

}  // namespace fake

inline const GpuDriver& fake_gpu_driver() {
    static const GpuDriver driver{
        .version = GEMMILL_VERSION,
        .name = "fake",
        .words = fake::words,
        .fault = fake::fault,
        .count = fake::count,
        .probe = fake::probe,
        .free_memory = fake::free_memory,
        .locate = fake::locate,
        .allocate = fake::allocate,
        .release = fake::release,
        .share = fake::share,
        .open_shared = fake::open_shared,
        .close_shared = fake::close_shared,
        .pin = fake::pin,
        .unpin = fake::unpin,
        .copy_now = fake::copy_now,
        .open_stream = fake::open_stream,
        .close_stream = fake::close_stream,
        .open_event = fake::open_event,
        .close_event = fake::close_event,
        .open_blas = fake::open_blas,
        .close_blas = fake::close_blas,
        .record = fake::record,
        .wait = fake::wait,
        .synchronize = fake::synchronize,
        .query = fake::query,
        .elapsed = fake::elapsed,
        .copy = fake::copy,
        .clear = fake::clear,
        .gemm = fake::gemm,
        .kernel = fake::kernel,
        .add = fake::add,
        .mirror = fake::mirror,
        .batch = fake::batch,
        .batch_in = fake::batch_in,
        .ignore_captures = fake::ignore_captures,
        .begin_range = fake::begin_range,
        .end_range = fake::end_range,
    };
    return driver;
}

}  // namespace gemmill::test
