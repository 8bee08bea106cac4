// SPDX-License-Identifier: Apache-2.0
// A driver whose GPUs are the host: each stream is a thread, device memory is host memory that only
// this driver hands out. It shows on any machine what the gpu backend does with streams, events and
// slots, and it fails where a test wants it to.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/gpu_driver.hpp"
#include "gemmill/version.hpp"
#include "kernel/batch_part.hpp"
#include "kernel/reference/reference.hpp"
#include "matrix/view.hpp"

namespace gemmill {

struct GpuEvent {
    int device = 0;
    std::mutex mutex;
    std::condition_variable happened;
    std::int64_t recorded = 0, done = 0;
    std::chrono::steady_clock::time_point time;
};

struct GpuStream {
    explicit GpuStream(int of) : device(of), thread([this] { work(); }) {}
    const int device;
    ~GpuStream() {
        {
            const std::lock_guard lock(mutex);
            stop = true;
            wake.notify_all();
        }
        thread.join();
    }
    void add(std::function<void()> job) {
        const std::lock_guard lock(mutex);
        line.push_back(std::move(job));
        wake.notify_all();
    }

  private:
    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return stop || !line.empty(); });
            if (line.empty()) return;
            const auto job = std::move(line.front());
            line.pop_front();
            lock.unlock();
            job();
            lock.lock();
        }
    }
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::function<void()>> line;
    bool stop = false;
    std::thread thread;
};

struct GpuBlas {
    GpuStream* stream;
};

namespace test {

/// The state of the fake GPUs of this process, and what is to go wrong.
struct FakeGpus {
    enum Fault : int { none = 0, bad_call = 1, no_memory = 2, gone = 3 };
    enum class Call { copy, gemm, add, record, allocate, pin, batch };

    std::mutex mutex;
    std::map<const std::byte*, std::pair<std::size_t, int>> blocks;  // bytes and device; -1: pinned
    std::size_t limit = std::size_t{1} << 40;                        // of each device
    std::map<int, std::size_t> used;
    std::map<Call, int> calls_left;  // until one fails
    Fault failure = bad_call;
    std::atomic<int> only = -1;           // the device that fails; -1: any
    std::atomic<bool> lost = false;       // every call of that device fails
    std::atomic<int> copies_by_host = 0;  // copies whose host side was neither pinned nor ours
    std::atomic<int> scattered = 0;       // copies of short columns of pinned memory
    std::map<int, index_t> products;      // of batches, that each device made

    static FakeGpus& instance() {
        static FakeGpus gpus;
        return gpus;
    }
    void reset() {
        const std::lock_guard lock(mutex);
        limit = std::size_t{1} << 40;
        calls_left.clear();
        failure = bad_call;
        only = -1;
        lost = false;
        copies_by_host = 0;
        scattered = 0;
        products.clear();
    }
    void fail_after(Call call, int calls, Fault fault = bad_call, int device = -1) {
        const std::lock_guard lock(mutex);
        calls_left[call] = calls;
        failure = fault;
        only = device;
    }
    bool fails(int device) const { return only < 0 || device == only; }
    bool is_lost(int device) const { return lost && fails(device); }
    int fault_of(Call call, int device = -1) {
        if (is_lost(device)) return gone;
        if (!fails(device)) return none;
        const std::lock_guard lock(mutex);
        const auto left = calls_left.find(call);
        if (left == calls_left.end() || left->second-- > 0) return none;
        calls_left.erase(left);
        if (failure == gone) lost = true;
        return failure;
    }
    std::size_t bytes_used() {
        const std::lock_guard lock(mutex);
        std::size_t sum = 0;
        for (const auto& [device, bytes] : used) sum += bytes;
        return sum;
    }
};

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
inline int open_stream(int device, bool, GpuStream** stream) {
    *stream = new GpuStream(device);
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
inline int batch(int device, std::optional<void*>, const Batch& x) {
    std::vector<GemmArgs> all;
    if (const int f = read_batch(device, x, all)) return f;
    for (const GemmArgs& g : all) reference_kernels().gemm(g);
    return 0;
}
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
        .begin_range = fake::begin_range,
        .end_range = fake::end_range,
    };
    return driver;
}

}  // namespace test
}  // namespace gemmill
